import type { Run } from "../../command.ts";
import { gatherLocal, pay } from "../creating.ts";
import type { stkSpec } from "./spec.ts";

/** `stk`: a push prompt to a customer's phone (service 4, POST stk-push). */
export const run: Run<typeof stkSpec> = async ({ flags, words }, context) => pay(await gatherLocal("stk", flags, context), { words, flags }, context);

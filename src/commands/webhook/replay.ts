import { problemOf } from "../../accounts/secrets.ts";
import { flagWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldText, listOutcome, textColumn } from "../../output/outcomes.ts";
import type { Context } from "../../ports.ts";
import { isGlobalReference } from "../../service/contract/routes.ts";
import { openCallbackLog } from "../../webhooks/callback-log.ts";
import { type Delivery, parseTarget, readAndDeliver } from "../../webhooks/deliver.ts";
import { requireSigning, webhookSettingsOf } from "../../webhooks/forward-settings.ts";
import type { webhookReplaySpec } from "./spec.ts";

type Failed = { readonly id: string; readonly error: CliError };

/** `webhook replay`: everything is checked before the first is sent; sending again is safe, as the webhook-id stays. */
export const run: Run<typeof webhookReplaySpec> = async ({ flags, args, words }, context) => {
  const ids = [...new Set(args.id)];
  const global = ids.find(isGlobalReference);
  if (global !== undefined) throw usageError(`${global} is a global reference: the service has no look-up for those, so there is nothing to deliver.`);
  const { interactive } = context.terminal;
  if (flags.to === undefined && !interactive)
    throw usageError("--to is missing: the address of your endpoint, which gets the callbacks.", "Add it: --to https://shop.example/webhooks");
  const given = flags.to === undefined ? undefined : parseTarget(flags.to, "--to", context.env);
  const settings = requireSigning(await webhookSettingsOf(flags, context));
  const client = await context.client();
  const to = given ?? (await askTarget(context));
  const delivered: Delivery[] = [];
  const failed: Failed[] = [];
  for (const transactionId of ids) {
    try {
      delivered.push(await readAndDeliver({ transactionId, to, settings }, context, client));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failed.push({ id: transactionId, error });
      // One that is refused or not found says nothing of the others; what is down or stopped does.
      if (error.kind !== "rejected" && error.kind !== "not-found") break;
    }
  }
  if (delivered.length > 0) {
    const log = await openCallbackLog(context);
    const at = new Date(context.clock.now()).toISOString();
    for (const { transactionId, status, httpStatus } of delivered) log.add({ at, way: "posted", transactionId, status, valid: true, answered: httpStatus });
    log.dispose();
  }
  const fault = summary(failed, delivered.length, ids.length, words);
  if (fault !== undefined) throw fault;
  return listOutcome("deliveries", delivered, ["transactionId", "status", "type", "webhookId", "httpStatus"], {
    empty: "Nothing was delivered.",
    columns: [
      textColumn("Transaction", "transactionId"),
      textColumn("Status", "status"),
      textColumn("Type", "type", { sheds: 1 }),
      { heading: "Answer", cell: (row) => ({ text: fieldText("httpStatus")(row), tone: "good" }), align: "right" },
      textColumn("Webhook id", "webhookId", { sheds: 2 }),
    ],
  });
};

const askTarget = async ({ prompt, env }: Pick<Context, "prompt" | "env">): Promise<URL> => {
  const read = (text: string): URL => parseTarget(text, "The address", env);
  const check = (text: string): string | undefined => problemOf(() => read(text));
  return read(await prompt.text({ message: "Address of your endpoint", check, words: (url) => flagWords("to", url) }));
};

/** The first fault, with how many were delivered and what each of the others met. */
const summary = (failed: readonly Failed[], delivered: number, asked: number, words: readonly string[]): CliError | undefined => {
  const [first] = failed;
  if (first === undefined || asked === 1) return first?.error;
  const faults = failed.map(({ id, error }) => `${id}: ${error.message}`).join(" ");
  const { kind, status, code, retryable } = first.error;
  const hint = "Sending all of them again is safe: the same change has the same webhook-id. To do so";
  return new CliError(kind, `Delivered: ${delivered} of ${asked}. ${faults}`, { cause: first.error, status, code, retryable, hint, command: words });
};

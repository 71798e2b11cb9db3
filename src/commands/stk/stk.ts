import { type Run, textFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import {
  httpUrlProblem,
  kenyanPhoneProblem,
  parseAmount,
  parseKenyanPhone,
  parseReference,
  pushAmountProblem,
  referenceProblem,
  toBody,
} from "../../payments/payment-body.ts";
import { offerReference } from "../../payments/reference.ts";
import { gather, payLocal, planFlags, waitMsOf } from "../creating.ts";

/** `stk`: a push prompt to a customer's phone (service 4, POST stk-push). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  const waitMs = waitMsOf(input);
  const callbackUrl = textFlag(input, "callback-url");
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const given = await gather(
    "stk",
    input,
    {
      phone: { message: "Customer's phone", check: kenyanPhoneProblem },
      amount: { message: "Amount (KES, whole shillings)", check: pushAmountProblem },
      reference: { message: "Reference", initial: offerReference("STK", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  const callbackProblem = callbackUrl === undefined ? undefined : httpUrlProblem(callbackUrl, "callback-url");
  if (callbackProblem !== undefined) throw usageError(callbackProblem);
  const phone = parseKenyanPhone(given.phone, (text) => context.note(text));
  const amount = parseAmount(given.amount, "KES");
  const reference = parseReference(given.reference);
  const body = toBody({ phone, amount, reference, channelId: textFlag(input, "channel-id"), description: textFlag(input, "description"), callbackUrl });
  return payLocal({ operation: "stk", body, reference, payee: phone, amount: amount.text, currency: "KES", ...flags }, waitMs, context);
};

import { type Input, type Run, textFlag } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { groupedAmount } from "../../money/grouped.ts";
import {
  httpUrlProblem,
  kenyanPhoneProblem,
  parseAmount,
  parseKenyanPhone,
  parseReference,
  payoutAmountProblem,
  payoutBounds,
  referenceProblem,
  toBody,
} from "../../payments/payment-body.ts";
import { offerReference } from "../../payments/reference.ts";
import { gather, payLocal, planFlags, waitMsOf } from "../creating.ts";

/** service 4: remarks and description are aliases of each other, so two different texts are a contradiction. */
const remarksOf = (input: Input): { readonly remarks: string | undefined; readonly description: string | undefined } => {
  const remarks = textFlag(input, "remarks");
  const description = textFlag(input, "description");
  if (remarks !== undefined && description !== undefined && remarks !== description) {
    throw usageError("--remarks and --description are the same field with two different texts: give one of them.");
  }
  return { remarks, description: remarks === undefined ? description : undefined };
};

/** `b2c`: a payout to a phone (service 4, POST b2c). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  const waitMs = waitMsOf(input);
  const words = remarksOf(input);
  const callbackUrl = textFlag(input, "callback-url");
  const day = new Date(context.clock.now()).toISOString().slice(0, 10);
  const given = await gather(
    "b2c",
    input,
    {
      phone: { message: "Recipient's phone", check: kenyanPhoneProblem },
      amount: { message: `Amount (KES, ${payoutBounds.min} to ${groupedAmount(String(payoutBounds.max), "")})`, check: payoutAmountProblem },
      reference: { message: "Reference", initial: offerReference("B2C", day, context.random.bytes(4)), check: referenceProblem },
    },
    context,
  );
  const callbackProblem = callbackUrl === undefined ? undefined : httpUrlProblem(callbackUrl, "callback-url");
  if (callbackProblem !== undefined) throw usageError(callbackProblem);
  const phone = parseKenyanPhone(given.phone, (text) => context.note(text));
  const amount = parseAmount(given.amount, "KES");
  const reference = parseReference(given.reference);
  const body = toBody({ phone, amount, reference, ...words, commandId: textFlag(input, "command-id"), callbackUrl });
  const question = [`Pay KES ${groupedAmount(amount.text, "KES")} to ${phone}`, `Reference ${reference}`];
  return payLocal({ operation: "b2c", body, reference, payee: phone, amount: amount.text, currency: "KES", question, ...flags }, waitMs, context);
};

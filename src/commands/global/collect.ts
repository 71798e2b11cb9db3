import { type Input, isSet, type Run, textFlag } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import type { Block } from "../../outcome.ts";
import { qrLines } from "../../output/qr.ts";
import { createdGlobalView } from "../../output/views/created.ts";
import { createPayment, dryRunOutcome } from "../../payments/create-payment.ts";
import { httpUrlProblem, msisdnProblem, parseMsisdn, toBody } from "../../payments/payment-body.ts";
import type { Rail } from "../../payments/rails.ts";
import { unseenProblem } from "../../payments/reference.ts";
import type { Context } from "../../ports.ts";
import { planFlags } from "../creating.ts";
import { checkAmountEarly, currentRails, missingOf, moneyOf, railOf } from "./rail-request.ts";

const command = "global collect";

const emailProblem = (text: string): string | undefined =>
  /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/.test(text.trim()) ? unseenProblem("The email address", text.trim()) : `"${text.trim()}" is not an email address.`;

/** Everything that can be refused without knowing the rails. */
const checkEarly = (input: Input, context: Context): void => {
  const [msisdn, email] = [textFlag(input, "msisdn"), textFlag(input, "email")];
  if (msisdn !== undefined && email !== undefined) throw usageError("Give --msisdn (PUSH rails) or --email (REDIRECT rails), not both.");
  const missing = missingOf(command, input, ["rail", "amount", "currency"], msisdn === undefined && email === undefined ? ["--msisdn or --email"] : []);
  if (missing !== undefined && !context.terminal.interactive) throw missing;
  checkAmountEarly(input);
  const returnUrl = textFlag(input, "return-url");
  const fault = (email === undefined ? undefined : emailProblem(email)) ?? (returnUrl === undefined ? undefined : httpUrlProblem(returnUrl, "return-url"));
  if (fault !== undefined) throw usageError(fault);
};

type Payer = { readonly msisdn?: string; readonly customerEmail?: string };

/** The payer as the rail's flow wants it (service 2.4): a phone for PUSH, an email address for REDIRECT. */
const payerOf = async (rail: Rail, input: Input, context: Context): Promise<Payer> => {
  const [msisdn, email] = [textFlag(input, "msisdn"), textFlag(input, "email")];
  if (rail.flow === "PUSH") {
    const stray = email !== undefined ? "--email" : textFlag(input, "return-url") !== undefined ? "--return-url" : isSet(input, "open") ? "--open" : undefined;
    if (stray !== undefined) throw usageError(`The rail ${rail.code} prompts on the payer's phone (PUSH): it needs --msisdn, and has no use for ${stray}.`);
    const check = (text: string): string | undefined => msisdnProblem(text, rail.country);
    const typed = msisdn ?? (await context.prompt.text({ message: "Payer's phone", check }));
    return { msisdn: parseMsisdn(typed, rail.country, (text) => context.note(text)) };
  }
  if (msisdn !== undefined) throw usageError(`The rail ${rail.code} has a hosted checkout (REDIRECT): it needs --email, not --msisdn.`);
  return { customerEmail: (email ?? (await context.prompt.text({ message: "Payer's email", check: emailProblem }))).trim() };
};

const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** The payment exists: a browser that does not start is no failure of it. */
const openCheckout = async (url: string, context: Context): Promise<void> => {
  if (!context.terminal.interactive) {
    context.note("Without a terminal the checkout was not opened: its address is in the answer.");
    return;
  }
  if (!isWebAddress(url)) {
    context.note("The checkout's address is not http or https: it was not opened.");
    return;
  }
  try {
    await context.openUrl(url);
  } catch (error) {
    context.note(`The browser could not be started${error instanceof CliError ? `: ${error.message}` : ""}. Open the address by hand.`);
  }
};

const checkoutBlocks = async (body: Json, input: Input, context: Context): Promise<readonly Block[]> => {
  const url = textOf(fieldOf(body, "authorizationUrl"));
  if (url === undefined) {
    if (isSet(input, "open")) context.note("The service gave no checkout address to open.");
    return [];
  }
  if (isSet(input, "open")) await openCheckout(url, context);
  const draws = context.flags.output === "table" && context.terminal.stdoutIsTerminal;
  // The payment exists by now: whatever hinders the drawing is no failure of it.
  const code = draws && isWebAddress(url) ? await qrLines(url, context.terminal.width()).catch(() => undefined) : undefined;
  return [
    { kind: "text", lines: ["The payer pays here:", { text: url, tone: "strong" }] },
    ...(code === undefined ? [] : [{ kind: "text", lines: code, verbatim: true } as const]),
  ];
};

/** `global collect`: an inbound collection, by prompt or hosted checkout (service 4, POST collections). */
export const run: Run = async (input, context) => {
  const flags = planFlags(input);
  checkEarly(input, context);
  const rail = await railOf(await currentRails(context), "collect", input, context);
  const { currency, amount } = await moneyOf(rail, input, context);
  const payer = await payerOf(rail, input, context);
  const callbackReturnUrl = textFlag(input, "return-url");
  const body = toBody({ rail: rail.code, ...payer, amount, currency, description: textFlag(input, "description"), callbackReturnUrl });
  const payee = payer.msisdn ?? payer.customerEmail ?? "";
  const plan = { operation: "collect", body, reference: "", payee, amount: amount.text, currency, ...flags } as const;
  if (flags.dryRun) return dryRunOutcome(plan, context);
  const { answer, attempt, replayed } = await createPayment(plan, context);
  if (replayed) context.note(`This collection had been accepted before with the same key; nothing was sent (journal ${attempt.id}).`);
  const extra = await checkoutBlocks(answer.body, input, context);
  return {
    rows: [answer.body],
    single: true,
    view: createdGlobalView(plan, answer.body, context.flags, extra),
    made: { idempotencyKey: attempt.idempotencyKey, journalId: attempt.id },
  };
};

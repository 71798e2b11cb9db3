import { usageError } from "../errors.ts";
import type { Context } from "../ports.ts";
import { signatureSchemes } from "../service/contract/limits.ts";
import { isSignatureScheme, type SignatureScheme, secretProblem, signDelivery } from "./webhook-signature.ts";

/** How callbacks are signed, checked. */
export type SignatureSettings = { readonly scheme: SignatureScheme; readonly header?: string; readonly secrets: readonly string[] };

/** How callbacks are signed for this call: --signature and --signature-header over the account's own settings. Throws CliError usage. */
export const webhookSettingsOf = async (
  flags: { readonly signature: string | undefined; readonly signatureHeader: string | undefined },
  context: Pick<Context, "webhookSettings">,
): Promise<SignatureSettings> => {
  const settings = await context.webhookSettings();
  const scheme = flags.signature ?? settings.scheme;
  const header = flags.signatureHeader ?? settings.header;
  if (!isSignatureScheme(scheme)) throw usageError(`The signature scheme "${scheme}" is not known.`, `--signature takes ${signatureSchemes.join(", ")}`);
  if (header !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw usageError(`"${header}" cannot be the name of a header.`, "Give --signature-header a name like X-Payments-Signature");
  checkSecrets(scheme, settings.secrets);
  return { scheme, secrets: settings.secrets, ...(header === undefined ? {} : { header }) };
};

/** Anybody could sign with a secret that is almost empty, also if a good one stands beside it. Throws CliError usage, which never repeats a secret. */
export const checkSecrets = (scheme: SignatureScheme, secrets: readonly string[]): void => {
  for (const [index, secret] of secrets.entries()) {
    const problem = secretProblem(scheme, secret);
    if (problem === undefined) continue;
    const which = secrets.length === 1 ? "The webhook secret" : `Webhook secret ${index + 1} of ${secrets.length}`;
    throw usageError(`${which} protects nothing: it ${problem}.`, "Copy the whole secret from where the service shows it, or make a new one there");
  }
};

/** Throws CliError usage if there is no secret. `problem` says what it is needed for. */
export const requireSecrets = ({ secrets }: SignatureSettings, problem: string): void => {
  if (secrets.length === 0)
    throw usageError(problem, "Set PAYMENTS_WEBHOOK_SECRET, or store it: payments-cli profile set NAME --with-webhook-secret < secret.txt");
};

/** Signing without a secret is refused before anything is sent. Throws CliError usage. */
export const requireSigning = (settings: SignatureSettings): SignatureSettings => {
  requireSecrets(settings, "There is no webhook secret to sign with.");
  if (signDelivery({ ...settings, id: "id", timestampSeconds: 0, body: new Uint8Array() }) === undefined)
    throw usageError("The webhook secret is not base64, as Standard Webhooks has it.", "Check the secret, or the scheme with --signature");
  return settings;
};

import { isSignatureScheme, signatureSchemes } from "../domain/webhook-signature.ts";
import { type Input, textFlag } from "../kernel/command.ts";
import type { Context, WebhookSettings } from "../kernel/context.ts";
import { usageError } from "../kernel/errors.ts";

/** How callbacks are signed for this call: --signature and --signature-header over the account's own settings. Throws CliError usage. */
export const webhookSettingsOf = async (input: Input, context: Pick<Context, "webhookSettings">): Promise<WebhookSettings> => {
  const settings = (await context.webhookSettings?.()) ?? { scheme: "standard-webhooks", secrets: [] };
  const scheme = textFlag(input, "signature") ?? settings.scheme;
  const header = textFlag(input, "signature-header") ?? settings.header;
  if (!isSignatureScheme(scheme)) throw usageError(`The signature scheme "${scheme}" is not known.`, `--signature takes ${signatureSchemes.join(", ")}`);
  if (header !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw usageError(`"${header}" cannot be the name of a header.`, "give --signature-header a name like X-Payments-Signature");
  return { scheme, secrets: settings.secrets, ...(header === undefined ? {} : { header }) };
};

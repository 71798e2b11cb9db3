import { type Input, textFlag } from "../command.ts";
import { usageError } from "../errors.ts";
import type { Context, WebhookSettings } from "../ports.ts";
import { isSignatureScheme, signatureSchemes } from "./webhook-signature.ts";

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

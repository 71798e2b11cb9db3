import { fieldOf, parseExact } from "../../json/exact-json.ts";
import type { Context } from "../../ports.ts";

const isLoopback = (url: string): boolean => /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/.test(url);

/**
 * Says where the phone is if a dashboard of the sandbox is open: it holds prompts until they are answered there, and --wait would
 * seem to hang. The payment was accepted by now, so nothing that this look-up meets may change the outcome.
 */
export const notePhone = async (context: Pick<Context, "account" | "client" | "note">): Promise<void> => {
  try {
    const { mode, baseUrl } = await context.account();
    if (mode !== "sandbox" || !isLoopback(baseUrl)) return;
    const answer = await (await context.client()).raw({ method: "GET", path: "/_sandbox/prompts" });
    if (answer.status !== 200 || fieldOf(parseExact(answer.text), "heldByDashboard") !== true) return;
    context.note(`The phone is in the open dashboard, which holds the prompt until you answer it: ${baseUrl}/#/phone`);
  } catch {
    context.note("Whether a dashboard holds the prompt could not be read.");
  }
};

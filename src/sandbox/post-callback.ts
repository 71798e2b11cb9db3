import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";

const timeoutMs = 10_000;

/** One POST to a merchant's endpoint: no redirects, the answer's body is not read. Rejects if no answer came within 10 s, or `signal` ends it. */
export const postCallback = (url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<{ readonly status: number }> =>
  new Promise((resolve, reject) => {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("Only http and https URLs are posted to.");
    const start = url.protocol === "https:" ? requestTls : requestPlain;
    const length = { "content-length": String(Buffer.byteLength(body)) };
    const sent = start(url, { method: "POST", agent: false, signal, headers: { ...headers, ...length } }, (answer) => {
      answer.resume();
      answer.on("error", () => undefined);
      resolve({ status: answer.statusCode ?? 0 });
    });
    const timer = setTimeout(() => sent.destroy(new Error(`No answer came within ${timeoutMs / 1000} s.`)), timeoutMs);
    sent.on("error", reject);
    sent.on("response", () => clearTimeout(timer));
    sent.on("close", () => clearTimeout(timer));
    sent.end(body);
  });

// A loopback service in a process of its own, so that it does not share a core's event loop with what is measured.
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

/** Answers every request with the same JSON, or for `pages` a page of that many transactions in all. */
export const startAnswering = async (answer, options = {}) => {
  const child = fork(fileURLToPath(import.meta.url), [], { env: { ...process.env, ANSWER: JSON.stringify(answer), OPTIONS: JSON.stringify(options) } });
  const port = await new Promise((resolve) => child.once("message", resolve));
  return { url: `http://127.0.0.1:${port}`, close: async () => void child.kill() };
};

if (process.env.ANSWER !== undefined && process.send !== undefined) {
  const { transactions = 0, delayMs = 0 } = JSON.parse(process.env.OPTIONS);
  const fixed = process.env.ANSWER;
  let made = 0;
  const page = (url) => {
    const limit = Math.min(1000, Number(url.searchParams.get("limit") ?? 100));
    const offset = Number(url.searchParams.get("offset") ?? 0);
    // All are payments in: a list of payouts is empty.
    const held = url.searchParams.get("flow") === "b2c" ? 0 : transactions;
    const rows = [];
    for (let index = offset; index < Math.min(held, offset + limit); index++)
      rows.push(`{"id":"tx-${index}","reference":"INV-${index}","amount":${100 + (index % 900)},"status":"COMPLETED"}`);
    return `{"transactions":[${rows.join(",")}],"total":${held}}`;
  };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const url = new URL(request.url, "http://127.0.0.1");
      const body =
        request.method === "POST"
          ? `{"transactionId":"tx-${made++}","status":"QUEUED"}`
          : transactions > 0 && url.pathname.endsWith("/transactions")
            ? page(url)
            : fixed;
      const send = () => response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
      if (delayMs > 0) setTimeout(send, delayMs);
      else send();
    });
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

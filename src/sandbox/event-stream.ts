import type { ServerResponse } from "node:http";
import { isDrop, type SandboxRequest } from "./request.ts";
import type { Sandbox } from "./sandbox.ts";

const pingMs = 15_000;
/** Many changes at once are one piece of news. */
const gatherMs = 50;

/**
 * `GET /_sandbox/events`: server-sent events that say that something changed, for a dashboard that is open. While one is, prompts
 * wait for the phone simulator. The sandbox's key is checked like that of any control call.
 */
export const streamEvents = async (sandbox: Sandbox, request: SandboxRequest, response: ServerResponse): Promise<void> => {
  const allowed = await sandbox.handle({ ...request, path: "/_sandbox/settings" });
  if (isDrop(allowed) || allowed.status !== 200) {
    const reply = isDrop(allowed) ? { status: 503, headers: {}, body: "" } : allowed;
    response.writeHead(reply.status, reply.headers).end(reply.body);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" });
  response.write("retry: 1000\n\n");
  let gathering: NodeJS.Timeout | undefined;
  const tellSoon = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      response.write("event: change\ndata: {}\n\n");
    }, gatherMs);
  };
  const unsubscribe = sandbox.subscribe(
    (event) => {
      if (event.kind === "end") {
        response.end();
        return;
      }
      if (event.kind === "request" && event.request.path.startsWith("/_sandbox/")) return;
      tellSoon();
    },
    { watchesPhone: true },
  );
  const ping = setInterval(() => response.write(": ping\n\n"), pingMs);
  ping.unref();
  response.on("error", () => undefined);
  response.on("close", () => {
    clearInterval(ping);
    clearTimeout(gathering);
    unsubscribe();
  });
};

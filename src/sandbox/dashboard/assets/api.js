import { saveFile } from "./save-csv.js";

/** The sandbox's own surface, with its key in a header and never in a URL. */
const meta = document.querySelector('meta[name="sandbox-key"]');
const remembered = "sandbox-key";

export const key = () => meta.content || sessionStorage.getItem(remembered) || "";
export const rememberKey = (text) => sessionStorage.setItem(remembered, text.trim());

export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? `The sandbox answered ${status}.`);
    this.status = status;
    this.code = body?.code;
    this.field = body?.field;
  }
}

/** A browser says "Failed to fetch" where nobody answers. */
const reach = async (path, options) => {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused(0, { message: "The sandbox does not answer. Is it still running?" });
  }
};

const headers = (more) => ({ Authorization: `Bearer ${key()}`, ...more });

export const call = async (method, path, body, more = {}) => {
  const answer = await reach(path, {
    method,
    headers: headers(body === undefined ? more : { "Content-Type": "application/json", ...more }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "error",
    cache: "no-store",
    credentials: "omit",
  });
  const text = await answer.text().catch(() => "…");
  let parsed;
  try {
    parsed = text === "" ? {} : JSON.parse(text);
  } catch {
    parsed = { message: `The sandbox's answer (${answer.status}) could not be read.` };
    if (answer.ok) throw new Refused(answer.status, parsed);
  }
  if (!answer.ok) throw new Refused(answer.status, parsed);
  return parsed;
};

/** A creation like any merchant's: with an Idempotency-Key. */
export const create = (path, body, more = {}) => call("POST", path, body, { "Idempotency-Key": `dashboard-${crypto.randomUUID()}`, ...more });

export const control = (method, path, body) => call(method, `/_sandbox/${path}`, body);

export const download = async (path, name) => {
  const answer = await reach(path, { headers: headers({}), cache: "no-store" });
  if (!answer.ok) throw new Refused(answer.status, undefined);
  saveFile(name, await answer.blob());
};

/**
 * Server-sent events over fetch, as EventSource cannot send a header. Polls while they are not to be had.
 * `onChange` is told that something happened, `onState` whether it is live.
 */
export const follow = (onChange, onState) => {
  let stopped = false;
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const read = async () => {
    const answer = await fetch("/_sandbox/events", { headers: headers({ Accept: "text/event-stream" }), cache: "no-store" });
    if (!answer.ok || answer.body === null) throw new Refused(answer.status, undefined);
    onState("live");
    onChange();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done || stopped) return;
      rest += value;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      if (blocks.some((block) => /^data:/m.test(block))) onChange();
    }
  };
  const run = async () => {
    for (let failures = 0; !stopped; ) {
      try {
        await read();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (error instanceof Refused && error.status === 401) return onState("key");
        onState(error instanceof Refused && error.status === 404 ? "polling" : "lost");
      }
      onChange();
      await wait(Math.min(2_000, 300 * failures + 200));
    }
  };
  run();
  return () => {
    stopped = true;
  };
};

import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { clock, duration } from "../format.js";
import { act, button, card, empty, field, heading, json, readable } from "../parts.js";
import { key } from "../api.js";

const tone = (status) => (status === undefined || status === null || status >= 500 ? "bad" : status >= 400 ? "waiting" : "good");

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
/** The same request for a shell, with this sandbox's key. A creation has a new Idempotency-Key, so that it is not answered as the old one. */
export const curlOf = ({ method, path, body }) =>
  [
    `curl -X ${method} ${quoted(location.origin + path)}`,
    `-H ${quoted(`Authorization: Bearer ${key()}`)}`,
    ...(method === "POST" ? [`-H ${quoted(`Idempotency-Key: ${crypto.randomUUID()}`)}`] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `--data ${quoted(body)}`] : []),
  ].join(" ");

/** What was ordered to happen to it; that all went well is nothing to say. */
const struck = ({ scenario, fault }) => fault ?? (scenario === "ok" ? undefined : scenario);

export const mount = (root, { refresh }) => {
  const body = h("div", {});
  const text = field("Path or status", { type: "search" });
  const input = text.querySelector("input");
  input.addEventListener("input", refresh);
  root.append(heading("Requests", "The last calls to this sandbox, with what it answered."), card(undefined, h("div", { class: "filters" }, text), body));
  return {
    update: async () => {
      const needle = input.value.trim().toLowerCase();
      const rows = (await data.requests()).filter((row) => `${row.method} ${row.path} ${row.status}`.toLowerCase().includes(needle)).slice(0, 100);
      fill(body, rows, () =>
        rows.length === 0
          ? empty(needle === "" ? "No requests yet." : "No matches.")
          : h("ul", { class: "requests" }, rows.map((row) =>
              h("li", {}, h("details", { "data-key": `request-${row.id}` },
                h("summary", {}, h("span", { class: `pill pill-${tone(row.status)}` }, row.status ?? "cut"), h("span", { class: "request-method" }, row.method), h("span", { class: "request-path" }, row.path), struck(row) ? h("span", { class: "pill" }, struck(row)) : undefined, h("span", { class: "quiet request-time" }, [clock(row.at), duration(row.durationMs)].filter(Boolean).join(" · "))),
                h("div", { class: "request-more" }, struck(row) ? h("p", { class: "quiet" }, `Scenario or fault: ${struck(row)}`) : undefined, row.idempotencyKey ? h("p", { class: "quiet" }, `Idempotency-Key ${row.idempotencyKey}`) : undefined, row.body ? [h("h2", { class: "part" }, "Sent"), json(readable(row.body))] : undefined, row.answer ? [h("h2", { class: "part" }, "Answered"), json(readable(row.answer))] : undefined, !row.body && !row.answer ? h("p", { class: "quiet" }, "Its bodies were not stored.") : undefined, h("div", { class: "actions" }, button("Copy as curl", act(() => navigator.clipboard.writeText(curlOf(row)), "Command copied."), { kind: "small", "data-key": `curl-${row.id}`, "aria-label": `Copy as curl: ${row.method} ${row.path}` }))),
              )),
            )),
      );
    },
  };
};

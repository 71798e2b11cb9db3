import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { clock, duration } from "../format.js";
import { card, empty, field, heading, json, readable } from "../parts.js";

const tone = (status) => (status === undefined || status === null || status >= 500 ? "bad" : status >= 400 ? "waiting" : "good");

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
          ? empty("No requests yet.")
          : h("ul", { class: "requests" }, rows.map((row) =>
              h("li", {}, h("details", { "data-key": `request-${row.id}` },
                h("summary", {}, h("span", { class: `pill pill-${tone(row.status)}` }, row.status ?? "cut"), h("span", { class: "request-method" }, row.method), h("span", { class: "request-path" }, row.path), struck(row) ? h("span", { class: "pill" }, struck(row)) : undefined, h("span", { class: "quiet request-time" }, [clock(row.at), duration(row.durationMs)].filter(Boolean).join(" · "))),
                h("div", { class: "request-more" }, struck(row) ? h("p", { class: "quiet" }, `Struck by ${struck(row)}`) : undefined, row.idempotencyKey ? h("p", { class: "quiet" }, `Idempotency-Key ${row.idempotencyKey}`) : undefined, row.body ? [h("h2", { class: "part" }, "Sent"), json(readable(row.body))] : undefined, row.answer ? [h("h2", { class: "part" }, "Answered"), json(readable(row.answer))] : undefined, !row.body && !row.answer ? h("p", { class: "quiet" }, "Its bodies were not kept.") : undefined),
              )),
            )),
      );
    },
  };
};

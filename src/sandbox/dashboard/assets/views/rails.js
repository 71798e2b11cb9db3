import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { amount, count } from "../format.js";
import { card, empty, field, heading, table } from "../parts.js";

const yes = (value, words) => (value ? h("span", { class: "pill pill-good" }, words) : undefined);

/** Bounds are round: decimals would be noise. */
const brief = (value) => (Number.isInteger(value) ? count(value) : amount(value));
const flows = { PUSH: "Prompt", REDIRECT: "Checkout" };

export const mount = (root, { refresh }) => {
  const body = h("div", {});
  const text = field("Country, currency or name", { type: "search" });
  const input = text.querySelector("input");
  input.addEventListener("input", refresh);
  root.append(heading("Rails", "What this merchant can use right now. Let your program read the list (GET providers) each time: it changes."), card(undefined, h("div", { class: "filters" }, text), body));
  return {
    update: async () => {
      const all = await data.providers();
      const needle = input.value.trim().toLowerCase();
      const rows = all.filter((rail) => [rail.rail, rail.displayName, rail.country, ...rail.currencies].join(" ").toLowerCase().includes(needle));
      fill(body, rows, () =>
        rows.length === 0
          ? empty("No matches.")
          : [
              h("p", { class: "quiet" }, `${count(rows.length)} of ${count(all.length)} rails`),
              table("Rails", [
                { head: "Rail", narrow: "title", cell: (rail) => h("span", { class: "two-lines" }, h("span", { class: "strong" }, rail.displayName), h("code", {}, rail.rail)) },
                { head: "Country", kind: "short", narrow: "sum", cell: (rail) => `${rail.country} · ${rail.currencies.join(", ")}` },
                { head: "Flow", kind: "short", cell: (rail) => (rail.capabilities.collect ? (flows[rail.collectionFlow] ?? rail.collectionFlow) : undefined) },
                { head: "Offers", cell: (rail) => h("span", { class: "pills" }, yes(rail.capabilities.collect, "Collect"), yes(rail.capabilities.disburse, "Withdraw"), rail.live ? undefined : h("span", { class: "pill pill-bad" }, "Not live")) },
                { head: "Channels", cell: (rail) => rail.capabilities.disbursementChannels.join(", ").replaceAll("_", " ").toLowerCase() || undefined },
                { head: "Limits", kind: "number", narrow: "more", cell: (rail) => `${rail.currencies[0]} ${brief(rail.minAmount)} – ${brief(rail.maxAmount)}` },
              ], rows),
            ],
      );
    },
  };
};

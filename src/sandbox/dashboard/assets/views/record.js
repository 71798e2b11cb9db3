import { control } from "../api.js";
import * as data from "../data.js";
import { entryColumn, movedColumn, settledColumn, timeColumn } from "../columns.js";
import { fill, h } from "../dom.js";
import { money, phone } from "../format.js";
import { act, badge, button, card, code, empty, facts, heading, json, table } from "../parts.js";
import { timeline, toneOf } from "./transaction.js";

const moves = { collections: [["confirm", "Confirm"], ["fail", "Fail"]], disbursements: [["complete", "Complete"], ["fail", "Fail"]] };
const done = { confirm: "Confirmed.", complete: "Completed.", fail: "Failed." };
const open = new Set(["PENDING", "PROCESSING"]);
/** What is not settled yet, or never will be, is not called so. */
const settled = { PENDING: "to be settled", PROCESSING: "to be settled", COMPLETED: "settled" };

/** One collection or withdrawal: what became of it, and what it moved in the global wallet. */
export const mount = (root, { id, refresh }) => {
  const head = h("div", {});
  const about = h("div", {});
  const steps = h("div", {});
  const ledger = h("div", {});
  const body = h("div", {});
  const kind = id.startsWith("GD-") ? "disbursements" : "collections";
  const settle = ([action, words]) =>
    button(words, act(async () => {
      await control("POST", `${kind}/${encodeURIComponent(id)}`, { action });
      refresh();
    }, done[action]), { "data-key": action });
  root.append(h("p", { class: "crumbs" }, h("a", { href: "#/global" }, "Global wallet")), head, h("div", { class: "columns" }, card("Details", about), card("Timeline", steps)), card("Ledger", ledger), card("Raw record", body));
  return {
    update: async () => {
      let record;
      try {
        record = await data.record(id);
      } catch (error) {
        if (error.status !== 404) throw error;
        for (const part of root.children) part.hidden = part !== head && !part.matches(".crumbs");
        head.replaceChildren(heading("No such reference", `${id} is not on this sandbox. The sandbox may have been reset.`));
        return;
      }
      const entries = await data.ledgerOf("global", id);
      const { checkoutToken: _token, ...shown } = record;
      fill(head, record, () => heading(record.reference, kind === "collections" ? "Collection" : "Withdrawal", h("p", { class: "total" }, money(record.amount, record.currency)), badge(record.status), open.has(record.status) ? moves[kind].map(settle) : undefined));
      fill(about, record, () =>
        facts([
          ["Rail", record.rail],
          ["Fee", money(record.fee, record.currency)],
          settled[record.status] ? [`Amount ${settled[record.status]}`, money(record.settledAmount)] : undefined,
          settled[record.status] ? [`Fee ${settled[record.status]}`, money(record.settledFee)] : undefined,
          [kind === "collections" ? "Payer" : "Payee", phone(record.party) || "–"],
          [record.flow === undefined ? "Channel" : "Flow", record.flow ?? record.channel],
          record.description ? ["Description", record.description] : undefined,
          record.scenario ? ["Scenario", code(record.scenario)] : undefined,
          record.failureReason ? ["Reason", record.failureReason] : undefined,
        ]),
      );
      fill(steps, record.timeline, (life) => timeline(life.map((step, index) => ({ ...step, detail: step.reason, tone: toneOf(step.status, index === life.length - 1) }))));
      fill(ledger, entries, () =>
        entries.length === 0
          ? empty("No entries.", "The balance changes when the provider confirms.")
          : table("Ledger entries", [
              timeColumn,
              entryColumn,
              settledColumn,
              movedColumn("KES"),
            ], entries),
      );
      fill(body, shown, json);
    },
  };
};

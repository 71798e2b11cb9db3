import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { amount, count, inWords, phone, receiptOf, when } from "../format.js";
import { act, badge, button, card, empty, field, heading, table } from "../parts.js";
import { saveCsv } from "../save-csv.js";
import { newPayment } from "./overview.js";

const pageSize = 25;
const statuses = ["SENT", "QUEUED", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED", "REVERSED"];
const exported = ["id", "createdAt", "kind", "reference", "phone", "amount", "status", "receipt"];
const kindOf = (row) => (row.flow === "b2c" ? "Payout" : row.phone ? "Prompt" : "Crypto");

export const mount = (root, { refresh }) => {
  const body = h("div", {});
  const more = h("div", { class: "pager" });
  let offset = 0;
  const flow = field("Flow", { options: [["all", "All"], ["standard", "Money in"], ["b2c", "Payouts"]] });
  const status = field("Status", { options: [["", "Any"], ...statuses.map((name) => [name, inWords(name)])] });
  const text = field("Reference, phone, receipt or id", { type: "search" });
  const wanted = () => ({ flow: valueOf(flow), status: valueOf(status), text: valueOf(text).trim() });
  const exportShown = async () => {
    const rows = await data.searchAll(wanted());
    saveCsv("transactions.csv", exported, rows.map((row) => ({ ...row, kind: kindOf(row), receipt: receiptOf(row) ?? "" })));
  };
  const valueOf = (holder) => holder.querySelector("input, select").value;
  for (const holder of [flow, status, text])
    holder.addEventListener("input", () => {
      offset = 0;
      refresh();
    });
  const turn = (by) => () => {
    offset = Math.max(0, offset + by);
    refresh();
  };
  root.append(
    heading("Transactions", "Prompts and payouts, newest first.", button("Export CSV", act(exportShown)), button("Pay out", () => newPayment("b2c", refresh)), button("Send prompt", () => newPayment("stk-push", refresh), { kind: "primary" })),
    card(undefined, h("div", { class: "filters" }, flow, status, text), body, more),
  );
  return {
    update: async () => {
      const asked = wanted();
      const page = await data.search({ ...asked, limit: pageSize, offset });
      const unfiltered = asked.flow === "all" && asked.status === "" && asked.text === "";
      fill(body, [page.transactions, unfiltered], () =>
        page.transactions.length === 0
          ? empty(unfiltered ? "No transactions yet." : "No matches.", unfiltered ? "Send a prompt or pay out to see one." : "Try another status, or a part of the reference.")
          : table("Transactions", [
              { head: "Reference", narrow: "title", cell: (row) => h("a", { href: `#/transactions/${encodeURIComponent(row.id)}`, "data-key": row.id, class: "strong" }, row.reference) },
              { head: "Status", narrow: "mark", cell: (row) => badge(row.status) },
              { head: "Kind", kind: "short", narrow: "none", cell: kindOf },
              { head: "Phone", kind: "short", narrow: "last", cell: (row) => [h("span", { class: "only-narrow" }, `${kindOf(row)} `), phone(row.phone)] },
              { head: "Time", kind: "short", narrow: "side", cell: (row) => when(row.createdAt) },
              { head: "Amount (KES)", kind: "number", narrow: "sum", unit: "KES", cell: (row) => amount(row.amount) },
            ], page.transactions),
      );
      fill(more, { offset, total: page.total, shown: page.transactions.length }, () => [
        page.total > 0 && h("p", { class: "quiet" }, page.transactions.length === 0 ? "" : `${count(offset + 1)} to ${count(offset + page.transactions.length)} of ${count(page.total)}`),
        (page.total > pageSize || offset > 0) && button("Newer", turn(-pageSize), { disabled: offset === 0, "data-key": "newer" }),
        (page.total > pageSize || offset > 0) && button("Older", turn(pageSize), { disabled: offset + page.transactions.length >= page.total, "data-key": "older" }),
      ]);
    },
  };
};

import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { amount, count, inWords } from "../format.js";
import { badge, button, card, empty, field, heading, table } from "../parts.js";
import { newPayment } from "./overview.js";

const pageSize = 25;

export const mount = (root, { refresh }) => {
  const body = h("div", {});
  const more = h("div", { class: "pager" });
  let offset = 0;
  const flow = field("Flow", { options: [["all", "All"], ["standard", "Money in"], ["b2c", "Payouts"]] });
  const status = field("Status", { options: [["", "Any"], ...["SENT", "QUEUED", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED", "REVERSED"].map((name) => [name, inWords(name)])] });
  const text = field("Reference or id", { type: "search", placeholder: "On this page" });
  const valueOf = (holder) => holder.querySelector("input, select").value;
  for (const holder of [flow, status, text])
    holder.addEventListener("input", () => {
      if (holder === flow) offset = 0;
      refresh();
    });
  root.append(
    heading("Transactions", "Collections and payouts, newest first.", button("Pay out", () => newPayment("b2c", refresh)), button("Send prompt", () => newPayment("stk-push", refresh), { kind: "primary" })),
    card(undefined, h("div", { class: "filters" }, flow, status, text), body, more),
  );
  return {
    update: async () => {
      const page = await data.transactions(valueOf(flow), pageSize, offset);
      const wanted = valueOf(status);
      const needle = valueOf(text).trim().toLowerCase();
      const rows = page.transactions.filter((row) => (wanted === "" || row.status === wanted) && (needle === "" || `${row.reference} ${row.id}`.toLowerCase().includes(needle)));
      fill(body, rows, () =>
        rows.length === 0
          ? empty(page.total === 0 ? "No transactions yet." : "None on this page fits.", page.total === 0 ? "Send a prompt or pay out to see one." : undefined)
          : table("Transactions", [
              { head: "Reference", cell: (row) => h("a", { href: `#/transactions/${encodeURIComponent(row.id)}`, "data-key": row.id, class: "strong" }, row.reference) },
              { head: "Status", cell: (row) => badge(row.status) },
              { head: "Amount (KES)", kind: "number", cell: (row) => amount(row.amount) },
              { head: "Id", kind: "wide", cell: (row) => h("code", {}, row.id) },
            ], rows),
      );
      fill(more, { offset, total: page.total, shown: page.transactions.length }, () => [
        h("p", { class: "quiet" }, page.total === 0 ? "" : `${count(offset + 1)} to ${count(offset + page.transactions.length)} of ${count(page.total)}`),
        button("Newer", () => {
          offset = Math.max(0, offset - pageSize);
          refresh();
        }, { disabled: offset === 0, "data-key": "newer" }),
        button("Older", () => {
          offset += pageSize;
          refresh();
        }, { disabled: offset + page.transactions.length >= page.total, "data-key": "older" }),
      ]);
    },
  };
};

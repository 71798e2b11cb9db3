import * as data from "../data.js";
import { entryColumn, movedColumn, timeColumn } from "../columns.js";
import { fill, h } from "../dom.js";
import { entryInWords, inWords, money, phone, receiptOf, tone, when, withMeaning } from "../format.js";
import { badge, card, code, empty, facts, heading, json, table } from "../parts.js";
import { deliveryList } from "./deliveries.js";

/** A step that was waited in is over once another followed. */
export const toneOf = (status, isLast) => (tone(status) === "waiting" && !isLast ? "quiet" : tone(status));

export const timeline = (steps) =>
  h("ol", { class: "timeline" }, steps.map((step) => h("li", { class: `step step-${step.tone}` }, h("p", { class: "step-name" }, step.name ?? inWords(step.status), step.detail ? h("span", { class: "quiet" }, step.detail) : undefined), h("time", { datetime: step.at }, when(step.at)))));

/** Its life: what happened, with the ledger and callbacks between. */
const stepsOf = (transaction, entries, deliveries) => {
  const told = transaction.timeline.map((step, index, all) => ({ status: step.status, tone: toneOf(step.status, index === all.length - 1), name: step.status === "SENT" ? "Prompt sent" : undefined, at: step.at, detail: step.reason }));
  const posted = entries.map((entry) => ({ name: entryInWords(entry.type, entry.amount), detail: money(entry.amount), at: entry.createdAt, tone: "quiet" }));
  const called = deliveries.map((delivery) => ({ name: `Callback ${delivery.type}`, detail: delivery.url, at: delivery.createdAt, tone: "quiet" }));
  return [...told, ...posted, ...called].filter((step) => step.at !== undefined).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
};

export const mount = (root, { id, refresh }) => {
  const head = h("div", {});
  const about = h("div", {});
  const steps = h("div", {});
  const ledger = h("div", {});
  const callbacks = h("div", {});
  const body = h("div", {});
  root.append(
    h("p", { class: "crumbs" }, h("a", { href: "#/transactions" }, "Transactions")),
    head,
    h("div", { class: "columns" }, card("Details", about), card("Timeline", steps)),
    card("Ledger", ledger),
    card("Callbacks", callbacks),
    card("Raw record", body),
  );
  return {
    update: async () => {
      let transaction;
      try {
        transaction = await data.transaction(id);
      } catch (error) {
        if (error.status !== 404) throw error;
        for (const part of root.children) part.hidden = part !== head && !part.matches(".crumbs");
        head.replaceChildren(heading("No such transaction", `${id} is not on this sandbox. The sandbox may have been reset.`));
        return;
      }
      const [told, ...moved] = await Promise.all([data.deliveriesOf(id), ...["balance", "b2c", "b2cHeld"].map((wallet) => data.ledgerOf(wallet, id))]);
      const mine = moved.flat().sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
      const fee = mine.filter((entry) => entry.type === "FEE").reduce((sum, entry) => sum - entry.amount, 0);
      const carrier = mine.filter((entry) => entry.type === "B2C_FEE").reduce((sum, entry) => sum - entry.amount, 0);
      fill(head, transaction, () => heading(transaction.reference, undefined, h("p", { class: "total" }, money(transaction.amount)), badge(transaction.status)));
      fill(about, { transaction, fee, carrier }, () =>
        facts([
          ["Status", withMeaning(transaction.status)],
          ["Receipt", receiptOf(transaction) ?? (tone(transaction.status) === "good" ? "None given" : "–")],
          ["Service fee", fee > 0 ? money(fee) : "None charged"],
          carrier > 0 ? ["Carrier cost", money(carrier)] : undefined,
          ["Phone", phone(transaction.phone) || "–"],
          transaction.description ? ["Description", transaction.description] : undefined,
          transaction.scenario ? ["Scenario", code(transaction.scenario)] : undefined,
          ["Provider", transaction.provider || "–"],
          transaction.providerRef ? ["Provider's reference", code(transaction.providerRef)] : undefined,
          ["Id", h("code", {}, transaction.id)],
        ]),
      );
      const life = stepsOf(transaction, mine, told);
      fill(steps, life, () => (life.length === 0 ? empty("Nothing has happened yet.") : timeline(life)));
      fill(ledger, mine, () =>
        mine.length === 0
          ? empty("No entries.", "A prompt costs nothing until it is paid.")
          : table("Ledger entries", [
              timeColumn,
              entryColumn,
              movedColumn("KES"),
              { head: "Description", kind: "wide", cell: (row) => row.description },
            ], mine),
      );
      fill(callbacks, [told, transaction.callbackUrl], () => (told.length === 0 ? (transaction.callbackUrl ? empty("No callbacks yet.", "One is sent when the payment ends.") : empty("No callback was asked for.", "If a payment is created with a callbackUrl, its callbacks go there.")) : deliveryList(told, refresh, false)));
      fill(body, transaction, () => json(transaction));
    },
  };
};

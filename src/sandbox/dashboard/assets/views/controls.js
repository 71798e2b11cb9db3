import { control } from "../api.js";
import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { act, button, card, cardWith, checks, copyable, dialog, field, form, heading, table, toast } from "../parts.js";
import { armedCard, faultsCard } from "./faults.js";
import { autoApprove } from "./phone.js";
import { statementCard } from "./statement.js";

const moves = [["1 min", 60_000], ["5 min", 300_000], ["1 hour", 3_600_000], ["1 day", 86_400_000]];
const scopes = ["wallet:read", "payments:read", "payments:write", "global:read", "global:write"];
const whom = { push: "Money in", payout: "Payouts", both: "Both" };

const resetDialog = (refresh) =>
  dialog("Start afresh?", h("p", {}, "All transactions, callbacks and faults of this sandbox are deleted, and the balances are as at the start. The key and the webhook secret stay."), (close) =>
    h("div", { class: "form-end" }, button("Delete and start afresh", act(async () => {
      await control("POST", "reset", {});
      close();
      location.hash = "#/overview";
      refresh();
    }, "The sandbox started afresh."), { kind: "danger" }), button("Cancel", close)),
  );

const cryptoCard = (refresh) =>
  card(
    "Crypto payment",
    form([h("div", { class: "pair" }, field("Asset", { name: "asset", options: ["USDT", "USDC", "BTC", "ETH"] }), field("Amount", { name: "amount", type: "number", min: "0", step: "any", required: true, value: "25" }))], "Confirm a payment", async (values) => {
      await control("POST", "crypto", { asset: values.asset, amount: Number(values.amount) });
      toast("Confirmed: the fee is charged in KES.");
      refresh();
    }, { kind: "plain" }),
  );

/** A key that may do less, to see what a 403 does to a program. It is shown once, here. */
const keyCard = () => {
  const made = h("div", {});
  return card(
    "API key with fewer scopes",
    form([checks("Scopes", "scopes", scopes.map((scope, index) => [scope, scope, index === 0]))], "Make a key", async (_, given) => {
      const { apiKey } = await control("POST", "keys", { scopes: given.getAll("scopes") });
      made.replaceChildren(copyable("New key", apiKey, `${apiKey.slice(0, 14)}…${apiKey.slice(-4)}`));
    }, { kind: "plain" }),
    made,
  );
};

export const mount = (root, { refresh }) => {
  const faults = faultsCard(refresh);
  const armed = armedCard(refresh);
  const time = h("p", { class: "clock-now" });
  const list = h("div", {});
  const advance = (ms, words) => act(async () => {
    await control("POST", "clock", { advanceMs: ms });
    refresh();
  }, `The clock moved ${words}.`);
  root.append(
    heading("Faults and clock", "Make answers late, broken or lost on purpose.", button("Start afresh", () => resetDialog(refresh), { kind: "danger" })),
    h(
      "div",
      { class: "columns" },
      h("div", { class: "stack" }, faults.element, armed.element, keyCard()),
      h(
        "div",
        { class: "stack" },
        card("Clock", time, h("p", { class: "quiet" }, "What falls due on the way happens: expiries, retries of callbacks, reversals."), h("div", { class: "actions" }, moves.map(([words, ms]) => button(`+ ${words}`, advance(ms, words))), button("Back to now", act(async () => {
          await control("POST", "clock", { toNow: true });
          refresh();
        }, "The clock shows the real time again.")))),
        statementCard(),
        card("Prompts", autoApprove()),
        cryptoCard(refresh),
      ),
    ),
    cardWith("Scenarios by the phone's last three digits", undefined, list),
  );
  return {
    update: async () => {
      const [scenarios, now] = await Promise.all([data.scenarios(), data.now(), faults.update()]);
      await armed.update(scenarios);
      fill(list, scenarios, (rows) =>
        table("Scenarios", [
          { head: "Ends in", kind: "short", narrow: "lead", cell: (row) => h("code", {}, row.name === "ok" ? "000 to 009" : row.digits) },
          { head: "What happens", kind: "wide", narrow: "title", cell: (row) => row.says },
          { head: "Name", cell: (row) => h("code", {}, row.name) },
          { head: "For", kind: "short", cell: (row) => whom[row.for] },
        ], rows),
      );
      time.textContent = new Date(now).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
    },
  };
};

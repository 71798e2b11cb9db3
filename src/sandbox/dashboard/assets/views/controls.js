import { control, download } from "../api.js";
import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { act, button, card, cardWith, dialog, empty, field, form, heading, table, toast } from "../parts.js";
import { autoApprove } from "./phone.js";

const kinds = [
  ["500-after", "500 after it was done"],
  ["reset-after", "connection cut after it was done"],
  ["reset-before", "connection cut before anything"],
  ["503", "503, nothing done"],
  ["429", "429 with Retry-After"],
  ["truncate", "half an answer"],
  ["html-502", "502 with an HTML page"],
  ["hang", "no answer at all"],
  ["slow", "slow answer"],
  ["insert-between-pages", "rows arrive while paging"],
];

const scenarios = [
  ["000–009", "Paid", "Both"],
  ["011", "No funds", "Both"],
  ["012", "Cancelled on the phone", "Push"],
  ["013", "Wrong PIN", "Push"],
  ["014", "Phone unreachable", "Push"],
  ["015", "Expired", "Push"],
  ["016", "PIN locked", "Push"],
  ["017", "Rule limited", "Both"],
  ["018", "System error", "Both"],
  ["021–026", "Callback lost, twice, late, early, out of order, badly signed", "Both"],
  ["027, 028", "Query lags, query contradicts itself", "Both"],
  ["031, 032", "Done, but the answer is dropped or a 500", "Both"],
  ["033–036", "Slow, rate limited, unavailable, stuck for ever", "Both"],
  ["037, 038", "Another amount, reversed", "Both"],
  ["041, 042", "Payee not registered, float short", "Payout"],
];

const moves = [["1 minute", 60_000], ["5 minutes", 300_000], ["1 hour", 3_600_000], ["1 day", 86_400_000]];

const faultsCard = (refresh) => {
  const list = h("div", {});
  let standing = [];
  const put = async (next) => {
    await control("PUT", "faults", next);
    standing = next;
    show();
    refresh();
  };
  const show = () =>
    fill(list, standing, () =>
      standing.length === 0
        ? empty("No faults stand.")
        : h("ul", { class: "rows" }, standing.map((fault, index) => h("li", {}, h("span", { class: "rows-main" }, kinds.find(([kind]) => kind === fault.kind)?.[1] ?? fault.kind, h("span", { class: "quiet" }, `${fault.method ?? "any"} ${fault.path ?? "any path"}${fault.times ? ` · ${fault.times} times` : ""}`)), button("Remove", act(() => put(standing.filter((_, at) => at !== index))), { kind: "small", "data-key": `fault-${index}`, "aria-label": `Remove fault ${index + 1}` })))),
    );
  show();
  const element = card(
    "Faults",
    h("p", { class: "quiet" }, "The next matching requests meet it: what your retry code is for."),
    form(
      [field("What goes wrong", { name: "kind", options: kinds }), field("Path", { name: "path", required: true, value: "/api/v1/merchants/payments/stk-push" }), h("div", { class: "pair" }, field("Method", { name: "method", options: ["POST", "GET"] }), field("Times", { name: "times", type: "number", min: "1", value: "1", required: true }))],
      "Add fault",
      async (values) => {
        await put([...standing, { ...values, times: Number(values.times) }]);
        toast("It strikes the next matching request.");
      },
    ),
    list,
  );
  return { element, update: async () => {
    standing = await data.faults();
    show();
  } };
};

const resetDialog = (refresh) =>
  dialog("Start afresh?", h("p", {}, "All transactions, balances, callbacks and faults of this sandbox are wiped."), (close) =>
    h("div", { class: "form-end" }, button("Wipe and start afresh", act(async () => {
      await control("POST", "reset", {});
      close();
      location.hash = "#/overview";
      refresh();
    }, "The sandbox is new."), { kind: "danger" }), button("Keep it", close)),
  );

export const mount = (root, { refresh }) => {
  const faults = faultsCard(refresh);
  const time = h("p", { class: "clock-now" });
  const advance = (ms, words) => act(async () => {
    await control("POST", "clock", { advanceMs: ms });
    refresh();
  }, `The clock moved ${words}.`);
  root.append(
    heading("Faults and clock", "Make it late, broken or lost on purpose.", button("Start afresh", () => resetDialog(refresh), { kind: "danger" })),
    h(
      "div",
      { class: "columns" },
      h("div", { class: "stack" }, faults.element, card("Prompts", autoApprove())),
      h(
        "div",
        { class: "stack" },
        card("Clock", time, h("p", { class: "quiet" }, "Expiries, retries of callbacks and reversals happen on the way."), h("div", { class: "actions" }, moves.map(([words, ms]) => button(`+ ${words}`, advance(ms, words))))),
        card(
          "Crypto payment",
          form([h("div", { class: "pair" }, field("Asset", { name: "asset", options: ["USDT", "USDC", "BTC", "ETH"] }), field("Amount", { name: "amount", type: "number", min: "0", step: "any", required: true, value: "25" }))], "Confirm a payment", async (values) => {
            await control("POST", "crypto", { asset: values.asset, amount: Number(values.amount) });
            toast("Confirmed: the fee is charged in KES.");
            refresh();
          }, { kind: "plain" }),
        ),
        card("Provider's statement", h("p", { class: "quiet" }, "The day as the provider's portal exports it, for trying payments-cli tx reconcile."), h("div", { class: "actions" }, button("Download CSV", act(() => download("/_sandbox/statement.csv", "statement.csv"))), button("With defects", act(() => download("/_sandbox/statement.csv?defects=1", "statement-with-defects.csv"))))),
      ),
    ),
    cardWith("Scenarios by the phone's last three digits", undefined, table("Scenarios", [
      { head: "Ends in", cell: (row) => h("code", {}, row[0]) },
      { head: "What happens", kind: "wide", cell: (row) => row[1] },
      { head: "For", cell: (row) => row[2] },
    ], scenarios)),
  );
  return {
    update: async () => {
      const [, now] = await Promise.all([faults.update(), data.now()]);
      time.textContent = new Date(now).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
    },
  };
};

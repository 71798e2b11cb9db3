import { control } from "../api.js";
import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { clock, money, phone, receiptOf, tone } from "../format.js";
import { act, button, card, empty, field, heading, toast } from "../parts.js";
import { newPayment } from "./overview.js";

const wrongPin = "0000";

/** The PIN sheet of one prompt, as the phone shows it. */
const promptSheet = (prompt, answer) => {
  const pin = h("input", { class: "pin", id: "pin", type: "password", inputmode: "numeric", autocomplete: "off", maxlength: "4", pattern: "\\d{4}", "aria-describedby": "pin-help", "data-key": "pin" });
  const problem = h("p", { class: "phone-problem", role: "alert" });
  const press = (digit) => () => {
    pin.value = digit === "⌫" ? pin.value.slice(0, -1) : (pin.value + digit).slice(0, 4);
    problem.textContent = "";
  };
  const send = (event) => {
    event.preventDefault();
    if (!/^\d{4}$/.test(pin.value)) {
      problem.textContent = "Enter the 4 digits of the PIN.";
      return pin.focus();
    }
    return answer(prompt, pin.value === wrongPin ? "wrong-pin" : "approve");
  };
  return h(
    "form",
    { class: "sheet", onsubmit: send, novalidate: true, "aria-label": "Payment prompt" },
    h("p", { class: "sheet-to" }, "Do you want to pay"),
    h("p", { class: "sheet-amount" }, money(prompt.amount, prompt.currency)),
    h("p", { class: "sheet-for" }, "Account ", h("strong", {}, prompt.reference), prompt.description ? h("span", { class: "sheet-what" }, prompt.description) : undefined),
    h("label", { for: "pin" }, "Enter PIN"),
    pin,
    problem,
    h("div", { class: "keypad", role: "group", "aria-label": "Keypad" }, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "⌫"].map((digit) => (digit === "" ? h("span", {}) : h("button", { type: "button", onclick: press(digit), "aria-label": digit === "⌫" ? "Delete" : digit }, digit)))),
    h("div", { class: "sheet-buttons" }, h("button", { type: "button", class: "sheet-cancel", onclick: () => answer(prompt, "decline") }, "Decline"), h("button", { type: "submit", class: "sheet-send" }, "Send")),
  );
};

const linkOf = (id) => (id.startsWith("GC-") ? `#/global/${encodeURIComponent(id)}` : `#/transactions/${encodeURIComponent(id)}`);

/** A transaction, or a collection: one has an id, the other goes by its reference. */
const message = (transaction) => {
  const receipt = receiptOf(transaction);
  const what = `${money(transaction.amount, transaction.currency)} for ${transaction.reference}`;
  const why = transaction.metadata?.failureReason ?? transaction.failureReason;
  const texts = { good: `Paid${receipt === undefined ? "" : `, receipt ${receipt}`}. ${what}.`, waiting: `Your PIN was sent. Waiting for the confirmation of ${what}.`, bad: `Not paid: ${what}.${why === undefined ? "" : ` ${why}`}`, quiet: `Paid back: ${what}.` };
  return h(
    "li",
    { class: "sms" },
    h("p", {}, texts[tone(transaction.status)]),
    h("a", { href: linkOf(transaction.id ?? transaction.reference) }, transaction.id === undefined ? "Open the collection" : "Open the transaction"),
  );
};

export const mount = (root, { refresh }) => {
  const screen = h("div", { class: "screen" });
  const queue = h("div", {});
  // The sandbox's time, as a moved clock shows on the phone too.
  let aheadMs = 0;
  const time = () => new Date(Date.now() + aheadMs).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const bar = h("span", {}, time());
  const showTime = () => {
    for (const shown of [bar, screen.querySelector(".idle-time")]) if (shown !== null && shown.textContent !== time()) shown.textContent = time();
  };
  const ticking = setInterval(showTime, 5_000);
  const handled = [];
  const ignored = new Set();
  let picked;
  const answer = async (prompt, action) => {
    try {
      await control("POST", `prompts/${encodeURIComponent(prompt.transactionId)}`, { action });
      if (action === "ignore") {
        ignored.add(prompt.transactionId);
        if (picked === prompt.transactionId) picked = undefined;
      } else handled.unshift(prompt.transactionId);
      if (action === "wrong-pin") toast("The PIN was wrong.", "bad");
      if (action === "decline") toast("The prompt was declined.", "quiet");
    } catch (error) {
      toast(error.message, "bad");
    }
    refresh();
  };
  root.append(
    heading("Phone", "The customer's side. Any four digits pay, unless the phone's last digits say otherwise; 0000 is a wrong PIN.", button("Send prompt", () => newPayment("stk-push", refresh), { kind: "primary" })),
    h(
      "div",
      { class: "phone-layout" },
      h("div", { class: "handset" }, h("div", { class: "handset-bar", "aria-hidden": "true" }, bar, h("span", {}, "4G  ▮▮▮")), screen),
      h("div", { class: "phone-side" }, card("Waiting prompts", queue), card("With no dashboard open", autoApprove())),
    ),
  );
  return {
    close: () => clearInterval(ticking),
    update: async () => {
      const [waiting, now] = await Promise.all([data.prompts(), data.now()]);
      aheadMs = Date.parse(now) - Date.now();
      // It ended by itself while it rang: the phone says how.
      if (picked !== undefined && !handled.includes(picked) && !waiting.some((prompt) => prompt.transactionId === picked)) handled.unshift(picked);
      // What is gone after a reset leaves no message.
      const messages = (await Promise.all(handled.slice(0, 3).map((id) => (id.startsWith("GC-") ? data.record(id) : data.transaction(id)).catch(() => undefined)))).filter(Boolean);
      const current = waiting.find((prompt) => prompt.transactionId === picked) ?? waiting.find((prompt) => !ignored.has(prompt.transactionId));
      // It stays as it is until it is answered: what else arrives or is declined must not take a PIN that is being typed.
      picked = current?.transactionId;
      fill(screen, current === undefined ? { messages } : { current }, () => {
        if (current === undefined) return [h("div", { class: "idle" }, h("p", { class: "idle-time", "aria-hidden": "true" }, time()), h("p", { class: "idle-text" }, "No prompt. This phone rings when one is sent.")), h("ul", { class: "messages", "aria-label": "Messages" }, messages.map(message))];
        const sheet = promptSheet(current, answer);
        return [h("p", { class: "caller", role: "status" }, h("span", { class: "caller-ring", "aria-hidden": "true" }), `${phone(current.phone)} is ringing`), sheet];
      });
      showTime();
      fill(queue, waiting, (rows) =>
        rows.length === 0
          ? empty("No prompts are waiting.", "Send one from here, from the command line or from your own code.")
          : h("ul", { class: "rows" }, rows.map((prompt) => h("li", { class: prompt === current ? "picked" : undefined }, h("span", { class: "rows-main" }, phone(prompt.phone), h("span", { class: "quiet" }, `${prompt.reference} · ${prompt.kind === "collection" ? `${prompt.rail} · ` : ""}${clock(prompt.createdAt)}`)), h("span", { class: "rows-amount" }, money(prompt.amount, prompt.currency)), h("span", { class: "rows-actions" }, button("Pick up", () => {
              picked = prompt.transactionId;
              ignored.delete(picked);
              refresh();
            }, { kind: "small", "data-key": `pick-${prompt.transactionId}`, "aria-label": `Pick up ${prompt.reference}` }), button("Decline", () => answer(prompt, "decline"), { kind: "small", "aria-label": `Decline ${prompt.reference}` }), button("Ignore", () => answer(prompt, "ignore"), { kind: "small", "aria-label": `Ignore ${prompt.reference}` }))))),
      );
    },
  };
};

export const autoApprove = () => {
  const choice = field("A prompt approves itself", { options: [["3000", "after 3 seconds"], ["0", "at once"], ["10000", "after 10 seconds"], ["null", "never: it waits"]] });
  const select = choice.querySelector("select");
  select.addEventListener("change", act(() => control("PUT", "settings", { autoApproveAfterMs: select.value === "null" ? null : Number(select.value) }), "Saved."));
  data.settings().then((settings) => {
    const now = String(settings.autoApproveAfterMs);
    if (![...select.options].some((option) => option.value === now)) select.append(h("option", { value: now }, `after ${settings.autoApproveAfterMs / 1_000} seconds`));
    select.value = now;
  }, () => undefined);
  return h("div", { class: "form" }, choice, h("p", { class: "quiet" }, "While a dashboard is open in any tab, prompts do not approve themselves: they wait for this phone."));
};

import { control, follow, key, rememberKey } from "./api.js";
import { prompts } from "./data.js";
import { fill, h } from "./dom.js";
import { money, phone } from "./format.js";
import { field, form, heading, icon, icons } from "./parts.js";
import * as controls from "./views/controls.js";
import * as deliveries from "./views/deliveries.js";
import * as global from "./views/global.js";
import * as overview from "./views/overview.js";
import * as phones from "./views/phone.js";
import * as record from "./views/record.js";
import * as rails from "./views/rails.js";
import * as requests from "./views/requests.js";
import * as transaction from "./views/transaction.js";
import * as transactions from "./views/transactions.js";

const sections = [
  ["overview", "Overview", overview],
  ["phone", "Phone", phones],
  ["transactions", "Transactions", transactions],
  ["deliveries", "Callbacks", deliveries],
  ["global", "Global wallet", global],
  ["rails", "Rails", rails],
  ["controls", "Faults and clock", controls],
  ["requests", "Requests", requests],
];

const main = document.getElementById("main");
const nav = document.getElementById("nav");
const links = new Map();
for (const [id, name] of sections) {
  const mark = h("span", { class: "nav-count" });
  const link = h("a", { href: `#/${id}` }, icon(icons[id]), h("span", {}, name), mark);
  links.set(id, { link, mark });
  nav.append(h("li", {}, link));
}

/** What is shown, and how it is brought up to date. */
let view;
let dirty = false;
let running = false;

const refresh = async () => {
  dirty = true;
  if (running) return;
  running = true;
  main.ariaBusy = "true";
  while (dirty) {
    dirty = false;
    const shown = view;
    try {
      await Promise.all([shown?.update(), showRinging()]);
      main.classList.remove("stale");
    } catch (error) {
      if (error.status === 401) askForKey();
      else main.classList.add("stale");
    }
  }
  main.ariaBusy = "false";
  running = false;
};

/** Prompts whose message was closed. They go on waiting. */
const closed = new Set();
const showRinging = async () => {
  const waiting = await prompts();
  const { mark } = links.get("phone");
  mark.textContent = waiting.length === 0 ? "" : String(waiting.length);
  document.title = waiting.length === 0 ? "Payments sandbox" : `(${waiting.length}) A phone is ringing – Payments sandbox`;
  const banner = document.getElementById("ringing");
  const shown = waiting.find(({ transactionId }) => !closed.has(transactionId));
  banner.hidden = shown === undefined || location.hash.startsWith("#/phone");
  fill(banner, shown ?? null, (prompt) => {
    if (prompt === null) return [];
    const what = h("span", { class: "ringing-what" }, h("strong", {}, `${phone(prompt.phone)} is ringing:`), ` ${money(prompt.amount, prompt.currency)} for ${prompt.reference}. `, h("span", { class: "quiet" }, "The prompt waits until you answer it here."));
    const close = () => {
      for (const { transactionId } of waiting) closed.add(transactionId);
      banner.hidden = true;
    };
    return [icon(icons.phone), what, h("a", { href: "#/phone", class: "button button-primary", "data-key": "ringing", "aria-label": `Answer ${prompt.phone}: ${money(prompt.amount, prompt.currency)} for ${prompt.reference}` }, "Answer"), h("button", { type: "button", class: "icon-button", "aria-label": "Close this message", onclick: close }, "×")];
  });
};

let asking = false;
const askForKey = () => {
  // Once: what is typed must not be wiped by the next refusal.
  if (asking) return;
  asking = true;
  view = undefined;
  main.replaceChildren(
    h(
      "div",
      { class: "view" },
      heading("This dashboard needs the sandbox's key", "payments-cli sandbox printed it when it started."),
      h(
        "div",
        { class: "card narrow" },
        form([field("API key", { name: "key", type: "password", required: true })], "Open the dashboard", async (values) => {
          rememberKey(values.key);
          try {
            await control("GET", "settings");
          } catch (error) {
            rememberKey("");
            throw error.status === 401 || error.status === 403 ? new Error("That is not this sandbox's key.") : error;
          }
          location.reload();
        }),
      ),
    ),
  );
};

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
/** Pages of one thing, below the section that lists them. */
const ones = { transactions: transaction, global: record };

/** On a narrow screen the sections are a strip: the one that is shown is in sight. */
const showCurrent = () => {
  const current = nav.querySelector("[aria-current]");
  nav.parentElement.scrollLeft = current === null ? 0 : current.offsetLeft - (nav.parentElement.clientWidth - current.offsetWidth) / 2;
};

const open = (moved) => {
  const [id = "overview", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const section = sections.find(([name]) => name === id) ?? sections[0];
  const one = rest[0] ? ones[section[0]] : undefined;
  view?.close?.();
  for (const [name, { link }] of links) {
    if (name === section[0]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const root = h("div", { class: `view view-${section[0]}` });
  const made = (one ?? section[2]).mount(root, { refresh, ...(one ? { id: decoded(rest[0]) } : {}) });
  view = made;
  main.replaceChildren(root);
  showCurrent();
  if (moved) {
    scrollTo(0, 0);
    root.querySelector("h1")?.focus();
  }
  refresh();
};

const live = { live: "Connected", polling: "Connected, checks every 2 s", lost: "Not connected", key: "Key needed" };
let polling;
const onState = (state) => {
  document.getElementById("live").dataset.state = state;
  document.getElementById("live-text").textContent = live[state];
  clearInterval(polling);
  if (state === "polling" || state === "lost") polling = setInterval(refresh, 2_000);
  if (state === "key") askForKey();
};

/** A burst of news is looked at once, at most four times a second. */
let soon;
const changed = () => {
  soon ??= setTimeout(() => {
    soon = undefined;
    refresh();
  }, 250);
};

const theme = (wanted) => {
  if (wanted) document.documentElement.dataset.theme = wanted;
};
theme(localStorage.getItem("theme"));
document.getElementById("theme").addEventListener("click", () => {
  const dark = (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  localStorage.setItem("theme", dark ? "light" : "dark");
  theme(dark ? "light" : "dark");
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

addEventListener("hashchange", () => open(true));
addEventListener("resize", () => {
  showCurrent();
  changed();
});
if (key() === "") askForKey();
else open(false);
follow(changed, onState);

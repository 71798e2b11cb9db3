import { h } from "./dom.js";
import { inWords, tone } from "./format.js";

export const icon = (path) => h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: path }));
export const icons = {
  overview: "M4 13h6V4H4v9Zm0 7h6v-4H4v4Zm10 0h6v-9h-6v9Zm0-16v4h6V4h-6Z",
  phone: "M8 2h8a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2Zm3 17h2",
  transactions: "M7 4v16m0 0-3-3m3 3 3-3M17 20V4m0 0-3 3m3-3 3 3",
  deliveries: "M4 12l16-8-6 16-3-7-7-1Z",
  global: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-9 9h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  rails: "M4 6h16M4 12h16M4 18h16M8 6v12M16 6v12",
  controls: "M5 7h9m4 0h1M5 17h2m4 0h8M16 5v4M9 15v4",
  requests: "M4 5h16v14H4V5Zm4 5 2 2-2 2m5 0h3",
};

export const badge = (status) => h("span", { class: `badge badge-${tone(status)}` }, h("span", { class: "dot", "aria-hidden": "true" }), inWords(status));
export const button = (text, onclick, { kind = "plain", ...attributes } = {}) => h("button", { type: "button", class: `button button-${kind}`, onclick, ...attributes }, text);
export const heading = (title, lead, ...actions) =>
  h("div", { class: "page-head" }, h("div", {}, h("h1", { tabindex: "-1" }, title), lead ? h("p", { class: "lead" }, lead) : undefined), h("div", { class: "actions" }, actions));
/** Ticks in a group: what is chosen comes as the values of one name. */
export const checks = (legend, name, options) =>
  h("fieldset", { class: "checks" }, h("legend", {}, legend), options.map(([value, text, checked]) => h("label", { class: "check" }, h("input", { type: "checkbox", name, value, checked: checked === true }), h("span", {}, text))));
export const card = (title, ...children) => h("section", { class: "card" }, title ? h("h2", {}, title) : undefined, children);
export const cardWith = (title, extra, ...children) => h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, title), extra), children);
export const empty = (text, hint) => h("div", { class: "empty" }, h("p", {}, text), hint ? h("p", { class: "quiet" }, hint) : undefined);
export const code = (text) => h("code", {}, text);

/** A click anywhere in a row opens what its first link opens, unless it is on a control or ends a selection of text. */
const openRow = (event) => {
  if (event.target.closest("a, button, input, select, summary") !== null || String(getSelection()) !== "") return;
  event.target.closest("tr")?.querySelector('a[href^="#/"]')?.click();
};

/**
 * `columns`: {head, cell(row), kind, label, narrow, unit}. A narrow screen shows a row as two lines or three, and `narrow` says where
 * a cell stands: "lead", "title", "mark" and "sum" (with its `unit`) on the first, "sub", "ref", "side" and "end" (with its head) below, "last" and "more" beneath; "none" is left out.
 * The roles are said, as a table laid out otherwise is none for a screen reader.
 */
export const table = (caption, columns, rows) =>
  h(
    "div",
    { class: "table-wrap", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { role: "table" },
      h("caption", { class: "sr-only" }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => h("th", { role: "columnheader", scope: "col", class: column.kind }, column.head === "" ? h("span", { class: "sr-only" }, column.label ?? "Actions") : column.head)))),
      h("tbody", { role: "rowgroup", onclick: openRow }, rows.map((row) => h("tr", { role: "row" }, columns.map((column) => h("td", { role: "cell", class: [column.kind, column.narrow].filter(Boolean).join(" "), "data-label": column.head.replace(/ \(.*/, ""), "data-unit": column.unit }, column.cell(row)))))),
    ),
  );

let fields = 0;
/** A labelled input; `options` makes it a select. */
export const field = (label, { hint, options, name, optional, ...attributes } = {}) => {
  fields += 1;
  const id = `field-${fields}`;
  const described = hint ? { "aria-describedby": `${id}-hint` } : {};
  const input = options
    ? h("select", { id, name, ...described, ...attributes }, options.map((option) => (Array.isArray(option) ? h("option", { value: option[0] }, option[1]) : h("option", { value: option }, option))))
    : h("input", { id, name, autocomplete: "off", spellcheck: "false", ...described, ...attributes });
  return h("div", { class: "field" }, h("label", { for: id }, label, optional ? h("span", { class: "optional" }, " optional") : undefined), input, hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : undefined);
};

/** A form that says what went wrong beside its button. `submit(values)` may reject. */
export const form = (children, label, submit, { kind = "primary", beside } = {}) => {
  const problem = h("p", { class: "problem", role: "alert" });
  const send = h("button", { type: "submit", class: `button button-${kind}` }, label);
  return h(
    "form",
    {
      class: "form",
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        const element = event.currentTarget;
        problem.textContent = "";
        if (!element.checkValidity()) return void element.reportValidity();
        // Not disabled, which would take the keyboard's place away.
        if (send.ariaBusy === "true") return;
        send.ariaBusy = "true";
        try {
          const given = new FormData(element);
          await submit(Object.fromEntries(given), given);
        } catch (error) {
          problem.textContent = error.message;
        } finally {
          send.ariaBusy = "false";
        }
      },
    },
    children,
    h("div", { class: "form-end" }, send, beside, problem),
  );
};

export const toast = (text, kind = "good") => {
  const item = h("p", { class: `toast toast-${kind}` }, text);
  document.getElementById("toasts").append(item);
  setTimeout(() => item.remove(), 6_000);
};

/** Runs what a button does, and says so when it is refused. */
export const act = (work, done) => async (event) => {
  const pressed = event?.currentTarget;
  if (pressed?.ariaBusy === "true") return;
  if (pressed) pressed.ariaBusy = "true";
  try {
    await work();
    if (done) toast(done);
  } catch (error) {
    toast(error.message, "bad");
  } finally {
    if (pressed) pressed.ariaBusy = "false";
  }
};

export const dialog = (title, ...children) => {
  const box = h("dialog", { class: "dialog", "aria-label": title });
  const close = () => box.close();
  box.append(h("div", { class: "dialog-head" }, h("h2", {}, title), h("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: close }, "×")), ...children.map((child) => (typeof child === "function" ? child(close) : child)));
  const opener = document.activeElement;
  box.addEventListener("close", () => {
    box.remove();
    // What opened it may have been built anew meanwhile: the browser then has nothing to go back to.
    if (opener?.isConnected === false) (document.querySelector(`main [data-key="${CSS.escape(opener.dataset.key ?? "")}"]`) ?? document.querySelector("h1"))?.focus();
  });
  // Beside it, not on its own margin.
  box.addEventListener("mousedown", (event) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    if (event.target === box && (event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom)) close();
  });
  document.body.append(box);
  box.showModal();
  box.querySelector("input, select")?.focus();
  return close;
};

export const copyable = (label, text, shown = text) =>
  h(
    "div",
    { class: "copyable" },
    h("span", { class: "copy-label" }, label),
    // A command breaks between its words, not inside a flag.
    h("code", {}, shown.split(" ").map((word, index) => [index === 0 ? "" : " ", h("span", { class: "word" }, word)])),
    button("Copy", act(() => navigator.clipboard.writeText(text), `${label} copied.`), { kind: "small", "aria-label": `Copy ${label.toLowerCase()}` }),
  );

export const facts = (pairs) => h("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? "–"))));

export const json = (value) => h("pre", { class: "json", tabindex: "0", "aria-label": "Body" }, typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** A body as an object where it is JSON, so that it is laid out. */
export const readable = (body) => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

import { control } from "../api.js";
import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { duration, when } from "../format.js";
import { act, button, card, empty, field, heading, json, readable } from "../parts.js";

const accepted = (attempt) => attempt.status >= 200 && attempt.status < 300;
const states = { due: ["waiting", "Due"], delivered: ["good", "Delivered"], failed: ["bad", "Not delivered"], lost: ["quiet", "Lost on purpose"] };
const stateOf = (delivery) => (delivery.state === "due" && delivery.tries.length > 0 ? ["waiting", "Will retry"] : (states[delivery.state] ?? ["quiet", delivery.state]));

const attemptLine = (attempt) =>
  h("li", {}, h("time", { datetime: attempt.at }, when(attempt.at)), h("span", { class: `pill pill-${accepted(attempt) ? "good" : "bad"}` }, attempt.status ?? "No answer"), h("span", { class: "quiet" }, attempt.error ?? duration(attempt.durationMs)));

const referenceOf = (delivery) => readable(delivery.body)?.data?.reference ?? delivery.transactionId;

export const deliveryList = (deliveries, refresh, linked = true) =>
  h(
    "ul",
    { class: "deliveries" },
    deliveries.map((delivery) => {
      const [tone, words] = stateOf(delivery);
      const { tries } = delivery;
      return h(
        "li",
        {},
        h(
          "div",
          { class: "delivery-head" },
          h("div", { class: "delivery-name" }, h("span", { class: `badge badge-${tone}` }, h("span", { class: "dot", "aria-hidden": "true" }), words), h("span", { class: "strong" }, delivery.type)),
          button("Resend", act(async () => {
            await control("POST", `deliveries/${encodeURIComponent(delivery.id)}/resend`, {});
            refresh();
          }, "Sent again."), { kind: "small", "data-key": `resend-${delivery.id}`, "aria-label": `Resend ${delivery.type} ${delivery.id}` }),
        ),
        h(
          "p",
          { class: "delivery-of" },
          h("time", { datetime: delivery.createdAt, class: "quiet" }, when(delivery.createdAt)),
          linked && delivery.transactionId ? h("a", { href: `#/transactions/${encodeURIComponent(delivery.transactionId)}` }, String(referenceOf(delivery)), h("span", { class: "sr-only" }, ` of callback ${delivery.id}`)) : undefined,
        ),
        h("p", { class: "delivery-url" }, h("code", {}, delivery.url)),
        tries.length > 0 ? h("ol", { class: "attempts", "aria-label": "Tries" }, tries.map(attemptLine)) : undefined,
        delivery.state === "due" && delivery.nextTryAt ? h("p", { class: "delivery-next" }, `Next try ${when(delivery.nextTryAt)}`) : undefined,
        h("details", { "data-key": `body-${delivery.id}` }, h("summary", {}, "Body"), json(readable(delivery.body))),
      );
    }),
  );

/** As many as the sandbox lists at once. */
const shownMax = 200;

export const mount = (root, { refresh }) => {
  const body = h("div", {});
  const state = field("Show", { options: [["", "All"], ...Object.entries(states).map(([id, [, words]]) => [id, words])] });
  const select = state.querySelector("select");
  const text = field("Reference, event or URL", { type: "search" });
  const input = text.querySelector("input");
  for (const holder of [select, input]) holder.addEventListener("input", refresh);
  root.append(heading("Callbacks", "What the sandbox posts to your endpoint, signed by Standard Webhooks: each callback with every try and its answer."), card(undefined, h("div", { class: "filters" }, state, text), body));
  return {
    update: async () => {
      const all = await data.deliveries();
      const needle = input.value.trim().toLowerCase();
      const matches = (delivery) => [referenceOf(delivery), delivery.transactionId, delivery.type, delivery.url].join(" ").toLowerCase().includes(needle);
      const rows = all.filter((delivery) => (select.value === "" || delivery.state === select.value) && matches(delivery));
      fill(body, [rows, all.length], () => (rows.length === 0 && all.length > 0 ? empty("No matches.") : rows.length === 0 ? empty("No callbacks yet.", "Create a payment with a callback URL. payments-cli webhook listen --sandbox gives you one to try.") : [deliveryList(rows, refresh), all.length < shownMax ? undefined : h("p", { class: "quiet" }, `The newest ${shownMax}. Older ones are shown with their transaction.`)]));
    },
  };
};

import { control } from "../api.js";
import * as data from "../data.js";
import { fill, h } from "../dom.js";
import { act, button, card, empty, field, form, toast } from "../parts.js";

const kinds = [
  ["500-after", "500 after it was done"],
  ["reset-after", "Connection cut after it was done"],
  ["reset-before", "Connection cut before anything was done"],
  ["503", "503, nothing done"],
  ["429", "429 with Retry-After"],
  ["truncate", "Half an answer"],
  ["html-502", "502 with an HTML page"],
  ["hang", "No answer at all"],
  ["slow", "Answer after 45 seconds"],
  ["insert-between-pages", "New rows while a list is read"],
];
const local = "/api/v1/merchants/payments";
const paths = [
  [`${local}/stk-push`, "Send a prompt"],
  [`${local}/b2c`, "Pay out"],
  [`${local}/transactions`, "List transactions"],
  [`${local}/transactions/:id`, "Read one transaction"],
  [`${local}/wallet`, "Read the wallet"],
  ["/api/v1/global/collections", "Collect"],
  ["/api/v1/global/disbursements", "Withdraw"],
  ["/api/v1/global/providers", "Read the rails"],
  ["*", "Every request"],
];
const nameOf = (list, id) => list.find(([value]) => value === id)?.[1] ?? id;
const timesText = (times) => (times === undefined ? "every time, until removed" : times === 1 ? "the next time" : `the next ${times} times`);

/** What goes wrong with matching requests: the next few, or all until it is removed. */
export const faultsCard = (refresh) => {
  const list = h("div", {});
  let standing = [];
  const show = () =>
    fill(list, standing, () =>
      standing.length === 0
        ? empty("No active faults.", "Every request gets a normal answer.")
        : h("ul", { class: "rows", "aria-label": "Active faults" }, standing.map((fault, index) =>
            h("li", {}, h("span", { class: "rows-main" }, nameOf(kinds, fault.kind), h("span", { class: "quiet" }, `${fault.method ?? "Any method"} · ${nameOf(paths, fault.path ?? "*")} · ${timesText(fault.times)}`)), button("Remove", act(() => put(standing.filter((_, at) => at !== index))), { kind: "small", "data-key": `fault-${index}`, "aria-label": `Remove fault ${index + 1}` })),
          )),
    );
  const put = async (next) => {
    standing = (await control("PUT", "faults", next)).faults;
    show();
    refresh();
  };
  show();
  const element = card(
    "Faults",
    h("p", { class: "quiet" }, "Make matching requests fail, to test your retry code."),
    form(
      [
        field("What goes wrong", { name: "kind", options: kinds }),
        field("Request", { name: "path", options: paths }),
        h("div", { class: "pair" }, field("Method", { name: "method", options: [["*", "Any"], "POST", "GET"] }), field("How often", { name: "times", options: [["1", "Next time"], ["2", "Next 2 times"], ["3", "Next 3 times"], ["10", "Next 10 times"], ["", "Until removed"]] })),
      ],
      "Add fault",
      async ({ times, method, ...values }) => {
        await put([...standing, { ...values, ...(method === "*" ? {} : { method }), ...(times === "" ? {} : { times: Number(times) }) }]);
        toast(times === "" ? "Applies to every matching request until you remove it." : `Applies to the next ${times === "1" ? "" : `${times} `}matching ${times === "1" ? "request" : "requests"}.`);
      },
    ),
    list,
  );
  return { element, update: async () => {
    standing = await data.faults();
    show();
  } };
};

const whom = { push: "money in", payout: "payouts", both: "both" };

/** A scenario for the next creations, whatever phone they name. */
export const armedCard = (refresh) => {
  const list = h("div", {});
  const choice = field("Scenario", { name: "scenario", options: [] });
  const select = choice.querySelector("select");
  const put = async (next) => {
    await control("PUT", "arm", next);
    refresh();
  };
  const element = card(
    "Armed scenarios",
    h("p", { class: "quiet" }, "The next payment gets the first of these scenarios, whatever its phone ends in."),
    form([h("div", { class: "pair pair-wide" }, choice, field("Payments", { name: "times", type: "number", min: "1", max: "1000", value: "1", required: true }))], "Arm", async (values) => {
      await control("POST", "arm", { scenario: values.scenario, times: Number(values.times) });
      toast(values.times === "1" ? "Applies to the next payment." : `Applies to the next ${values.times} payments.`);
      refresh();
    }),
    list,
  );
  return { element, update: async (scenarios) => {
    if (select.options.length === 0) select.append(...scenarios.map((one) => h("option", { value: one.name }, `${one.says} (${whom[one.for]})`)));
    const armed = await data.armed();
    fill(list, armed, () =>
      armed.length === 0
        ? empty("No scenario is armed.")
        : [
            h("ol", { class: "rows", "aria-label": "Armed scenarios, the next one first" }, armed.slice(0, 10).map((name, index) =>
              h("li", {}, h("span", { class: "rows-main" }, scenarios.find((one) => one.name === name)?.says ?? name, h("code", { class: "quiet" }, name)), button("Disarm", act(() => put(armed.filter((_, at) => at !== index))), { kind: "small", "data-key": `armed-${index}`, "aria-label": `Disarm ${name}, number ${index + 1}` })),
            )),
            armed.length > 10 ? h("p", { class: "quiet" }, `And ${armed.length - 10} more.`) : undefined,
            h("div", { class: "actions" }, button("Disarm all", act(() => put([])), { "data-key": "disarm-all" })),
          ],
    );
  } };
};

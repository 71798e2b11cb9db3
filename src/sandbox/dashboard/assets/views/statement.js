import { control, download } from "../api.js";
import { h } from "../dom.js";
import { act, button, card, checks, field, form, table } from "../parts.js";

const kinds = [
  ["missing-row", "A row is missing", true],
  ["wrong-amount", "A wrong amount", true],
  ["duplicate", "A row stands twice", true],
  ["failed-attempt", "A failed attempt before a paid one", true],
  ["reversal", "A reversal that the service does not know", true],
];

/** The day as the provider's portal exports it, as it should be or with chosen defects, and which they are. */
export const statementCard = () => {
  const told = h("div", { role: "status" });
  const day = field("Day", { name: "day", type: "date", hint: "The day in Nairobi; today if you leave it empty." });
  const dayQuery = (text) => (text ? `&day=${encodeURIComponent(text)}` : "");
  const plain = act(() => {
    told.replaceChildren();
    return download(`/_sandbox/statement.csv?defects=0${dayQuery(day.querySelector("input").value)}`, "statement.csv");
  });
  return card(
    "Provider's statement",
    h("p", { class: "quiet" }, "As the provider's portal exports it, for trying payments-cli tx reconcile."),
    form(
      [day, checks("Defects", "defects", kinds)],
      "Download with defects",
      async (values, given) => {
        const chosen = given.getAll("defects");
        if (chosen.length === 0) throw new Error("Choose a defect, or download it as it is.");
        const query = `defects=${chosen.join(",")}${dayQuery(values.day)}`;
        await download(`/_sandbox/statement.csv?${query}`, "statement-with-defects.csv");
        const { defects } = await control("GET", `statement-defects?${query}`);
        told.replaceChildren(
          h("p", {}, defects.length === 0 ? "That day has no paid prompts to put a defect on." : defects.length < chosen.length ? `${defects.length} of ${chosen.length} defects: that day has no more paid prompts.` : "What is wrong in it:"),
          ...(defects.length === 0 ? [] : [table("Defects", [{ head: "Defect", narrow: "title", cell: (row) => h("span", { class: "strong" }, kinds.find(([kind]) => kind === row.kind)?.[1] ?? row.kind) }, { head: "Reference", cell: (row) => row.reference }, { head: "Receipt", cell: (row) => h("code", {}, row.receipt) }], defects)]),
        );
      },
      { beside: button("Download as it is", plain) },
    ),
    told,
  );
};

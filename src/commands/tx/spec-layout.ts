import { command, text, texts } from "../../command-spec.ts";

const name = { name: "NAME", summary: "The layout's name", required: true } as const;

export const txLayoutListSpec = command("tx layout list", "The layouts that say how files are read", {
  examples: [["tx layout list", "Built-in layouts, and those that you saved"]],
});

export const txLayoutShowSpec = command("tx layout show", "Show a layout as JSON", {
  arguments: [name],
  examples: [["tx layout show woocommerce --json", "Start a layout of your own from this one"]],
  exitCodes: [4],
});

export const txLayoutSaveSpec = command("tx layout save", "Save a layout on this machine", {
  details:
    "With --from, it saves the way that file is read (--columns corrects it). Without --from, it reads the layout as JSON from standard input (docs/layouts.md). A saved layout replaces a built-in one of the same name.",
  arguments: [name],
  flags: {
    from: text("A file of the kind that the layout is for", "FILE", { completes: "file" }),
    as: text("What FILE is, if its columns do not say so", "KIND", { choices: ["orders", "statement"] }),
    columns: texts("Columns of FILE, as for tx reconcile", "reference=Order,amount=Total"),
    sheet: text("The sheet of FILE to read, if it shows several", "NAME"),
    zone: text("Time zone of times that do not say theirs", "ZONE"),
  },
  examples: [
    ["tx layout save my-bank --from march.csv --columns reference=Ref", "From a file", "needs a file"],
    ["tx layout save my-bank < my-bank.json", "From JSON", "needs a file"],
  ],
});

export const txLayoutRemoveSpec = command("tx layout remove", "Remove a layout that you saved", {
  arguments: [name],
  examples: [["tx layout remove my-bank", "Built-in layouts stay", "needs a kept layout"]],
  exitCodes: [4],
});

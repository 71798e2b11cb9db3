import type { CommandSpec } from "../../command.ts";

const name = { name: "NAME", summary: "The layout's name", required: true } as const;

export const txLayoutListSpec = {
  path: ["tx", "layout", "list"],
  summary: "The layouts that say how files are read",
  flags: {},
  examples: [{ line: "payments-cli tx layout list", says: "Built-in layouts, and those kept on this machine" }],
  exitCodes: [],
} as const satisfies CommandSpec;

export const txLayoutShowSpec = {
  path: ["tx", "layout", "show"],
  summary: "Show a layout as JSON",
  arguments: [name],
  flags: {},
  examples: [{ line: "payments-cli tx layout show woocommerce --json", says: "A start for a layout of your own" }],
  exitCodes: [4],
} as const satisfies CommandSpec;

export const txLayoutSaveSpec = {
  path: ["tx", "layout", "save"],
  summary: "Keep a layout on this machine",
  details:
    "With --from, the layout is made of how that file is read; --columns corrects it. Without it, the layout is JSON on standard input (docs/layouts.md). A kept layout with the name of a built-in one takes its place.",
  arguments: [name],
  flags: {
    from: { type: "string", summary: "A file of the kind that the layout is for", placeholder: "FILE", completes: "file" },
    as: { type: "string", summary: "What FILE is, if its columns do not say so", placeholder: "KIND", choices: ["orders", "statement"] },
    columns: { type: "strings", summary: "Columns of FILE, as for tx reconcile", placeholder: "reference=Order,amount=Total" },
    sheet: { type: "string", summary: "The sheet of FILE to read, if it shows several", placeholder: "NAME" },
    zone: { type: "string", summary: "Zone of times without one", placeholder: "ZONE" },
  },
  examples: [
    { line: "payments-cli tx layout save my-bank --from march.csv --columns reference=Ref", says: "From a file", tested: false, why: "needs a file" },
    { line: "payments-cli tx layout save my-bank < my-bank.json", says: "From JSON", tested: false, why: "needs a file" },
  ],
  exitCodes: [],
} as const satisfies CommandSpec;

export const txLayoutRemoveSpec = {
  path: ["tx", "layout", "remove"],
  summary: "Remove a layout that is kept on this machine",
  arguments: [name],
  flags: {},
  examples: [{ line: "payments-cli tx layout remove my-bank", says: "Built-in layouts stay", tested: false, why: "needs a kept layout" }],
  exitCodes: [4],
} as const satisfies CommandSpec;

// The direction of imports and the absence of cycles (docs/architecture.md). A folder may import what stands below it.
const src = (...folders) => `^src/(${folders.join("|")})(/|\\.ts$)`;
const top = ["main", "start", "boot", "library"];
const features = ["payments", "transactions", "reconcile", "webhooks", "accounts"];
const services = ["service", "journal", "output", "tables"];
const primitives = [
  "errors",
  "unwrap",
  "ports",
  "command",
  "command-input",
  "command-spec",
  "nearest",
  "outcome",
  "shell",
  "html",
  "lazily",
  "read-bytes",
  "timer",
  "json",
  "money",
  "storage",
];

const never = (name, from, to, except = []) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: to, ...(except.length === 0 ? {} : { pathNot: except.map((file) => `^src/${file}\\.ts$`) }) },
});

// One feature imports another only through these files.
const entries = {
  transactions: [
    "transaction",
    "status",
    "fields",
    "list-transactions",
    "paid-before",
    "watch-scope",
    "sync",
    "sync-details",
    "mirror",
    "mirror-save",
    "mirror-schema",
    "mirror-tokens",
  ],
  accounts: ["secrets", "ask-secret"],
  payments: ["reference", "evidence", "guard-key", "command-of"],
  reconcile: [],
  webhooks: ["callback-log"],
};

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    never(
      "primitives-at-the-bottom",
      src(...primitives),
      src(...top, "cli", "commands", "host", "sandbox", ...features, "service/(?!contract)", "output", "tables"),
    ),
    never("services-below-features", src(...services), src(...top, "cli", "commands", "host", "sandbox", ...features), [
      "transactions/status",
      "transactions/fields",
      "transactions/mirror-tokens",
    ]),
    never("features-below-commands", src(...features), src(...top, "cli", "commands", "host", "sandbox")),
    ...features.map((feature) => ({
      name: `${feature}-only-by-its-entries`,
      severity: "error",
      from: { path: src(...features.filter((other) => other !== feature)) },
      to: { path: src(feature), pathNot: entries[feature].map((file) => `^src/${feature}/${file}\\.ts$`) },
    })),
    never("commands-below-cli", src("commands"), src("host", ...top), []),
    never("commands-use-two-helpers-of-the-command-line", src("commands"), src("cli"), ["cli/help-topics", "cli/shell-traps"]),
    never(
      "sandbox-is-a-separate-program",
      src("sandbox"),
      src(...top, "cli", "commands", "host", ...features, "journal", "output", "tables", "service/(?!contract)"),
      ["service/transport", "webhooks/webhook-signature"],
    ),
    {
      name: "only-the-host-touches-the-process",
      severity: "error",
      from: {
        path: src(...primitives, ...features, "service", "output", "tables"),
        pathNot: "^src/(tables/pipe-pieces|service/decode|accounts/keychain)\\.ts$",
      },
      to: { path: "^(node:)?(net|http|https|tls|child_process|readline|tty)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: false,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};

// The direction of imports and the absence of cycles. A room may import what stands below it.
const layer = (name, from, to) => ({ name, severity: "error", from: { path: from }, to: { path: to } });
const src = (...rooms) => `^src/(${rooms.join("|")})(/|\\.ts$)`;

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    layer(
      "domain-is-pure",
      src("domain"),
      src("contract", "kernel", "client", "store", "files", "flows", "output", "commands", "cli", "host", "sandbox", "main"),
    ),
    layer("contract-below-kernel", src("contract"), src("client", "store", "files", "flows", "output", "commands", "cli", "host", "sandbox", "main")),
    layer("kernel-is-small", src("kernel"), src("client", "store", "files", "flows", "output", "commands", "cli", "host", "sandbox", "main")),
    layer("client-and-store-below-flows", src("client", "store", "files"), src("flows", "output", "commands", "cli", "host", "sandbox", "main")),
    layer("flows-below-commands", src("flows"), src("commands", "cli", "host", "sandbox", "main")),
    layer("output-below-commands", src("output"), src("client", "store", "flows", "commands", "cli", "host", "sandbox", "main")),
    layer("commands-below-cli", src("commands"), src("host", "main")),
    layer("sandbox-is-the-service", src("sandbox"), src("flows", "output", "commands", "cli", "host", "main")),
    {
      name: "only-the-host-touches-the-process",
      severity: "error",
      from: { path: src("domain", "contract", "kernel", "flows", "output") },
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

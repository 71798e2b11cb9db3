import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const setupFiles = [fileURLToPath(new URL("../support/each-file.ts", import.meta.url))];
const common = { root, environment: "node" as const, testTimeout: 30_000, hookTimeout: 60_000, pool: "forks" as const, setupFiles };

export default defineConfig({
  test: {
    root,
    maxWorkers: 3,
    projects: [
      // Many files share a process: each would load the whole program anew. In a simulation it matters that nothing is loaded yet.
      {
        test: {
          ...common,
          name: "unit",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/{process,pty,browser,simulation,windows,meta,long}/**"],
        },
      },
      { test: { ...common, name: "process", include: ["test/{process,pty,browser,simulation}/**/*.test.ts"], testTimeout: 90_000 } },
      { test: { ...common, name: "windows", include: ["test/windows/**/*.test.ts"], testTimeout: 90_000 } },
      { test: { ...common, name: "meta", include: ["test/meta/**/*.test.ts"] } },
      { test: { ...common, name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 3_600_000 } },
    ],
  },
});

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const common = { root, environment: "node" as const, testTimeout: 30_000, hookTimeout: 60_000, pool: "forks" as const };

export default defineConfig({
  test: {
    root,
    maxWorkers: 3,
    projects: [
      { test: { ...common, name: "unit", include: ["test/**/*.test.ts"], exclude: ["test/{process,pty,browser,windows,meta,long}/**"] } },
      { test: { ...common, name: "process", include: ["test/{process,pty,browser}/**/*.test.ts"], testTimeout: 90_000 } },
      { test: { ...common, name: "windows", include: ["test/windows/**/*.test.ts"], testTimeout: 90_000 } },
      { test: { ...common, name: "meta", include: ["test/meta/**/*.test.ts"] } },
      { test: { ...common, name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 3_600_000 } },
    ],
  },
});

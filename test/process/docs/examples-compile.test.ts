import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = ["README.md", "docs/scripts.md", "docs/sandbox.md"];

test("every TypeScript example of the docs compiles in strict mode", () => {
  const examples = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code),
  );
  expect(examples.length).toBeGreaterThan(2);
  // Within the project, so that Node's types are found.
  const folder = mkdtempSync(join(root, "node_modules", ".examples-"));
  try {
    const files = examples.map((code, index) => {
      const file = join(folder, `example-${index}.mts`);
      writeFileSync(file, code);
      return file;
    });
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile) as { readonly config: { readonly compilerOptions: object } };
    const options = ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
    const program = ts.createProgram(files, {
      ...options,
      ...{ noEmit: true, strict: true, incremental: false, composite: false, skipLibCheck: true, noUnusedLocals: false },
      paths: { "payments-cli": [join(root, "src/library.ts")], "payments-cli/sandbox": [join(root, "src/sandbox/library.ts")] },
    });
    const found = files.flatMap((file) => {
      const source = program.getSourceFile(file);
      return source === undefined ? [] : [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

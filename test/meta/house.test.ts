import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const source = filesUnder("src").filter((file) => !file.includes("/dashboard/assets"));
const tests = filesUnder("test").filter((file) => !file.startsWith(join("test", "meta")));

/** Each banned token names what to use in its place. */
const banned: readonly { readonly token: RegExp; readonly instead: string; readonly where: readonly string[]; readonly except?: RegExp }[] = [
  // These words are what the rule looks for. Nothing here is unfinished.
  { token: /\b(TODO|FIXME|XXX|HACK)\b/, instead: "finish it, or say in words what is left", where: [...source, ...tests] },
  { token: /vi\.mock\(/, instead: "hand the dependency in", where: tests },
  { token: /\b(it|test|describe)\.(skip|only|todo)\(/, instead: "run it or delete it", where: tests },
  // This too is the rule itself: it silences nothing.
  { token: /@ts-(ignore|expect-error|nocheck)|biome-ignore/, instead: "correct the type", where: source },
  { token: /\bconsole\.(log|error|warn)\(/, instead: "an outcome, or context.note", where: source },
  { token: /\bprocess\.exit\(/, instead: "return the exit code", where: source, except: /^src\/(host|start\.ts)/ },
  {
    token: /\bMath\.random\(|\bDate\.now\(/,
    instead: "context.random or context.clock",
    where: source,
    except: /^src\/(host|accounts|journal|storage|transactions|webhooks|sandbox|library\.ts)/,
  },
  // Whatever reaches a terminal passes output/sanitize.ts, which is true of these few writers (test/commands/hostile/terminal.test.ts).
  { token: /\bprocess\.(stdout|stderr)\b/, instead: "an outcome, or context.note", where: source, except: /^src\/host\/node-host\.ts$/ },
  { token: /\bhost\.(out|err)\(/, instead: "an outcome, or context.note", where: source, except: /^src\/(main|cli\/(context|report-error|run-command))\.ts$/ },
  { token: /\b(writeSync|writeFileSync|write)\([12],|"inherit"/, instead: "an outcome, or context.note", where: source },
  { token: /\.replace(All)?\(\/.*\\u202[ae]/, instead: "output/sanitize.ts", where: source, except: /^src\/money\/phone\.ts$/ },
  {
    // A hint that names one whole command, and is no page of help.
    token: /(?:hint\b|usageError\(|CliError\()(?!.*payments-cli.*payments-cli)(?!.*--help).*payments-cli [a-z][a-z -]*[a-z](?=[."`;,])/,
    instead: "the error's `command`, which programs read too",
    where: source,
  },
  { token: /"code" in /, instead: "errorCode of errors.ts", where: source, except: /^src\/(errors\.ts|sandbox\/)/ },
  { token: /&lt;/, instead: "escapeHtml of html.ts", where: source, except: /^src\/(html|sandbox\/dashboard\/assets)\.ts$/ },
];

describe("the house", () => {
  test.each(banned.map((rule) => [String(rule.token), rule] as const))("%s stands nowhere", (_, rule) => {
    const found = rule.where.filter((file) => !(rule.except?.test(file) ?? false) && rule.token.test(readFileSync(join(root, file), "utf8")));
    expect(found, `use instead: ${rule.instead}`).toEqual([]);
  });

  // `npm cit` is npm's own command, `npm ci` and then `npm test`: a script of that name is never run by it.
  test("npm cit builds and runs the tests of a clean clone alone, and npm pack builds", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(scripts.cit).toBeUndefined();
    expect(scripts.pretest).toBe("npm run --silent build");
    expect(scripts.prepack).toBe("npm run --silent build");
    expect(scripts.test).toMatch(/ --project unit --project process$/);
  });

  test("names are kebab-case", () => {
    expect(source.filter((file) => !/^[a-z0-9/.-]+$/.test(file))).toEqual([]);
  });
});

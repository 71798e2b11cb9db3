import { parseGlobalFlags } from "./cli/global-flags.ts";
import { helpOf } from "./cli/help.ts";
import { type Host, isReaderGone } from "./cli/host.ts";
import { registry } from "./cli/registry.ts";
import { errWidth, type Reporting, reportError } from "./cli/report-error.ts";
import { wrapText } from "./output/wrap.ts";
import type { Program } from "./ports.ts";

/** Runs one command line. Resolves with the exit code and never rejects (rules.md, Exit codes). */
export const main = async (argv: readonly string[], host: Host): Promise<number> => {
  const reporting: Reporting = { host, json: false, debug: false, noColor: false, sandbox: false };
  try {
    const quick = await quickAnswer(argv, host);
    if (quick !== undefined) {
      await host.out(quick);
      return 0;
    }
    return await dispatch(argv, reporting);
  } catch (error) {
    return isReaderGone(error) ? 0 : await reportError(error, reporting);
  }
};

/** What is answered before commander is loaded: help and version, exactly so typed, and a TAB. */
const quickAnswer = async (argv: readonly string[], host: Host): Promise<string | undefined> => {
  const [first] = argv;
  const last = argv.at(-1);
  if (argv.length === 1 && (last === "--version" || last === "-v" || last === "version")) return `${host.version}\n`;
  if (first === "__complete") return await (await import("./cli/complete.ts")).complete(argv.slice(1), host);
  if (first === "help") return asWide((await import("./cli/help-topics.ts")).helpOn(argv.slice(1), registry), host);
  const help = last === undefined ? helpOf([], registry) : last === "--help" || last === "-h" ? helpOf(argv.slice(0, -1), registry) : undefined;
  return help === undefined ? undefined : asWide(help, host);
};

/** Help as wide as the terminal; off one, its own lines. */
const asWide = (text: string, host: Host): string => wrapText(text, { width: host.stdoutIsTerminal ? host.width() : 0 });

const dispatch = async (argv: readonly string[], reporting: Reporting): Promise<number> => {
  const { host } = reporting;
  const { readCommandLine } = await import("./cli/command-line.ts");
  const { fault, entry, path, ...typed } = readCommandLine(registry, argv);
  const { json, output, debug, version, help, sandbox, "no-color": noColor } = typed.flags;
  const asJson = json !== undefined || output?.includes("json") === true;
  Object.assign(reporting, { json: asJson, debug: debug !== undefined, noColor: noColor !== undefined, sandbox: sandbox !== undefined });
  if (fault !== undefined) throw fault;
  if (version !== undefined) await host.out(`${host.version}\n`);
  else if (entry === undefined || help !== undefined) await host.out(asWide(helpOf(path, registry) ?? "", host));
  else {
    const flags = parseGlobalFlags(typed.flags);
    if (flags.sandbox && flags.output !== "json")
      host.err(`${wrapText("SANDBOX: a test service on this machine; no real money moves.", { width: errWidth(host) })}\n`);
    const { runCommand } = await import("./cli/run-command.ts");
    const program: Program = {
      run: async (words, options) => (await import("./cli/inner-run.ts")).runInner(words, options, host, main),
      streams: () => host.streams(),
    };
    return await runCommand({ words: typed.words, flags, run: (context) => entry.run(typed, { ...context, program }) }, reporting);
  }
  return 0;
};

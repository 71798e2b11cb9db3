// `npm run bench`: every figure is a ratio of two things measured in this very run; none is a promise.
import { parseArgs } from "node:util";
import { bulk } from "./bulk.mjs";
import { find } from "./find.mjs";
import { journal } from "./journal.mjs";
import { mcp } from "./mcp.mjs";
import { npx } from "./npx.mjs";
import { reconcile } from "./reconcile.mjs";
import { sandbox } from "./sandbox.mjs";
import { shared } from "./shared.mjs";
import { startUp } from "./start-up.mjs";

const rooms = { "start-up": startUp, bulk, reconcile, sandbox, find, npx, journal, shared, mcp };
const usage = `npm run bench [-- ROOM… --rows N]

  ROOM    one or more of ${Object.keys(rooms).join(", ")}; all of them unless named
  --rows  transactions that bulk lists, reconcile compares and find looks among: 1000000 unless said`;

const wantedOf = () => {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { rows: { type: "string" }, help: { type: "boolean", short: "h" } } });
    const rows = values.rows === undefined ? undefined : Number(values.rows);
    if (values.help || positionals.some((name) => !Object.hasOwn(rooms, name)) || (rows !== undefined && !(rows >= 1))) return undefined;
    return { names: positionals, options: rows === undefined ? {} : { rows } };
  } catch {
    return undefined;
  }
};

const lineOf = ({ skipped, ratio, mb, target, name, against }) => {
  if (skipped !== undefined) return `  skipped: ${skipped}`;
  if (mb !== undefined) return `  ${Math.round(mb)} MB  (at most ${target})  ${name}`;
  return `  ${ratio.toFixed(2)}x  (target ${target})  ${name}, against ${against}`;
};

const wanted = wantedOf();
if (wanted === undefined) {
  console.log(usage);
  process.exitCode = process.argv.some((word) => word === "--help" || word === "-h") ? 0 : 2;
} else {
  for (const [name, measure] of Object.entries(rooms)) {
    if (wanted.names.length > 0 && !wanted.names.includes(name)) continue;
    console.log(`\n${name} (Node ${process.version})`);
    for (const row of await measure(wanted.options)) console.log(lineOf(row));
  }
}

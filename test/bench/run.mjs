// `npm run bench`: every figure is a ratio of two things measured in this very run; none is a promise.
import { bulk } from "./bulk.mjs";
import { find } from "./find.mjs";
import { journal } from "./journal.mjs";
import { npx } from "./npx.mjs";
import { reconcile } from "./reconcile.mjs";
import { sandbox } from "./sandbox.mjs";
import { startUp } from "./start-up.mjs";

const rooms = { "start-up": startUp, bulk, reconcile, sandbox, find, npx, journal };
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(rooms)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name} (Node ${process.version})`);
  for (const row of await measure())
    console.log(
      row.skipped === undefined ? `  ${row.ratio.toFixed(2)}x  (target ${row.target})  ${row.name}, against ${row.against}` : `  skipped: ${row.skipped}`,
    );
}

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isInstalled, shells, startShell } from "./shells.ts";

const stored = { profiles: ["default", "my shop", `it's $HOME; "x"`, "🧾 ネコ"], rails: ["MPESA_KE", "MTN_UG"] };
const answersHere = true;

/** Would run a command where a shell took any of it for more than text. Each begins with letters of its own. */
const hostile = [
  "p01$(touch PWNED)",
  "p02`touch PWNED`",
  "p03';touch PWNED;'",
  'p04";touch PWNED;"',
  "p05;touch PWNED",
  "p06|touch PWNED&",
  "p07 * ?[a] {a,b} ~root",
  "p08!!",
  "p09:b=c:d=$(touch PWNED)",
  "p10\\",
  "p11$HOME\\$(touch PWNED)",
  "p12<(touch PWNED)>x",
  "p13#x ^y^z%1",
  "p14’;touch PWNED;‘",
  "p15 =(touch PWNED)",
];
/** Cannot stand on a line of a terminal, or is taken for a flag: never offered. */
const left = ["q1\ntouch PWNED\n", "q2\u001b[2J\u001b]0;x\u0007", "q3\u202ex", "q4\u009b31m", `q5${"x".repeat(1000)}`, "-6q"];

describe.each(shells)("$what", (shell) => {
  test.skipIf(!isInstalled(shell))("completes on TAB, asking the built program", async () => {
    const { run, end } = await startShell(shell, stored);
    try {
      expect(await run("who\t")).toBe("[whoami]");
      expect(await run("profile use it\t")).toBe('[profile][use][it\'s $HOME; "x"]');
      expect(await run("global collect --rail MP\t")).toBe("[global][collect][--rail][MPESA_KE]");
    } finally {
      end();
    }
  });

  test.skipIf(!isInstalled(shell))("completes every kind of word", async () => {
    const { home, type, run, end } = await startShell(shell, { ...stored, answersHere });
    writeFileSync(join(home.folder, "rows of May.csv"), "");
    const lines: readonly (readonly [string, string, string])[] = [
      ["a command", "who\t", "[whoami]"],
      ["a noun and its verb", "prof\tu\tdef\t", "[profile][use][default]"],
      ["a global flag before the command, its choice", "--out\tjsonl\t whoa\t", "[--output][jsonl][whoami]"],
      ["a flag's choice", "b2c --command-i\tSal\t", "[b2c][--command-id][SalaryPayment]"],
      ["a choice after an equals sign", "b2c --command-id=Bus\t", "[b2c][--command-id=BusinessPayment]"],
      ["a stored value", "global collect --rail MP\t", "[global][collect][--rail][MPESA_KE]"],
      ["a command that also has commands", "b2c ba\t", "[b2c][batch]"],
      ["a name with a space", "--profile my\t whoami", "[--profile][my shop][whoami]"],
      ["a name with a space behind an equals sign", "--profile=my\t whoami", "[--profile=my shop][whoami]"],
      ["a name with signs of the shell", "profile use it\t", '[profile][use][it\'s $HOME; "x"]'],
      ["a name after an opened quote", "profile use 'my\t", "[profile][use][my shop]"],
      ["a name after an opened double quote", 'profile use "my\t', "[profile][use][my shop]"],
      ["a file, quoted", "b2c batch rows\t", "[b2c][batch][rows of May.csv]"],
      ["a file behind an equals sign", "webhook verify --body=rows\t", "[webhook][verify][--body=rows of May.csv]"],
      ["help's topics", "help exi\t", "[help][exit-codes]"],
      ["nothing for free values", "stk --phone \t1", "[stk][--phone][1]"],
    ];
    try {
      for (const [what, typed, wanted] of lines) expect(await run(typed), what).toBe(wanted);
      await type(`payments-cli profile use ${shell.list}`, /ネコ/);
      expect(await type("default\r", /RUN[^\r\n]*END[\s\S]*READY>/)).toContain("[profile][use][default]");
    } finally {
      end();
    }
  });

  test.skipIf(!isInstalled(shell))("inserts names that are code as the text they are, or not at all", async () => {
    const { home, run, end } = await startShell(shell, { profiles: [...hostile, ...left], rails: hostile, answersHere });
    try {
      for (const [index, name] of hostile.entries()) {
        const typed = name.slice(0, 3);
        const places: readonly (readonly [string, string])[] = [
          [`profile use ${typed}\t`, `[profile][use][${name}]`],
          [`--profile=${typed}\t whoami`, `[--profile=${name}][whoami]`],
          [`global collect --rail ${typed}\t`, `[global][collect][--rail][${name}]`],
        ];
        // Each place has every third name: a TAB takes its time, and one rule quotes for all of them.
        const place = places[index % places.length];
        if (place !== undefined) expect(await run(place[0])).toBe(place[1]);
      }
      for (const name of left) expect(await run(`profile use ${name.slice(0, 2)}\t`)).toBe(`[profile][use][${name.slice(0, 2)}]`);
      expect(existsSync(join(home.folder, "PWNED"))).toBe(false);
    } finally {
      end();
    }
  });

  test.skipIf(!isInstalled(shell))("keeps to an opened quote", async () => {
    // What bash could not keep literal inside the quote is left out there.
    const outside = shell.name === "bash" ? { "'": /'/, '"': /!|"$/ } : { "'": /(?!)/, '"': /(?!)/ };
    const { home, run, end } = await startShell(shell, { profiles: hostile, rails: [], answersHere });
    try {
      for (const quote of ["'", '"'] as const) {
        for (const [index, name] of hostile.entries()) {
          if (index % 2 === (quote === "'" ? 0 : 1)) continue;
          const typed = name.slice(0, 3);
          const isLeft = outside[quote].test(name);
          expect(await run(`profile use ${quote}${typed}\t${isLeft ? quote : ""}`)).toBe(`[profile][use][${isLeft ? typed : name}]`);
        }
      }
      expect(existsSync(join(home.folder, "PWNED"))).toBe(false);
    } finally {
      end();
    }
  });

  test.skipIf(!isInstalled(shell))("inserts names of files that are code as the text they are", async () => {
    const { home, run, end } = await startShell(shell, { profiles: [], rails: [], answersHere });
    const names = hostile.filter((name) => !/[/!]/.test(name));
    for (const name of names) writeFileSync(join(home.folder, name), "");
    try {
      for (const name of names) expect(await run(`b2c batch ${name.slice(0, 3)}\t`)).toBe(`[b2c][batch][${name}]`);
      expect(existsSync(join(home.folder, "PWNED"))).toBe(false);
    } finally {
      end();
    }
  });
});

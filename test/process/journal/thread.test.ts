import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startJournalThread } from "../../../src/host/journal-thread.ts";
import { openJournal } from "../../../src/store/journal.ts";
import { createRemoteWriter } from "../../../src/store/journal-remote.ts";
import { newAttempt } from "../../support/new-attempt.ts";

const root = mkdtempSync(join(tmpdir(), "payments-thread-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const threadFile = fileURLToPath(new URL("../../../dist/journal-thread.cjs", import.meta.url));
const clock = { now: () => Date.now() };
const never = (): Promise<void> => Promise.reject(new Error("written by the wrong one"));
const noWriter = { open: never, reopen: never, addTry: never, close: never };

test("what the thread says is recorded is in the file, with its tries and end, in the order they were told", async () => {
  const dataFolder = join(root, "good");
  const writer = createRemoteWriter(startJournalThread(threadFile, dataFolder), noWriter);
  await Promise.all(["a", "b", "c", "d"].map((id) => writer.open(newAttempt(id), [])));
  const journal = await openJournal({ dataFolder, clock });
  expect((await journal.list({ state: "started" })).map(({ id }) => id)).toEqual(["d", "c", "b", "a"]);
  // Refused by what is there: the sentence, the kind and what to look at come across.
  await expect(writer.open({ ...newAttempt("e"), guardKey: "a" }, [])).rejects.toMatchObject({
    kind: "duplicate",

    journalId: "a",
    idempotencyKey: "a",
  });
  await expect(writer.open(newAttempt("a"))).rejects.toMatchObject({ kind: "duplicate", hint: expect.stringContaining("journal show a") });
  const told = [
    writer.close("a", { state: "accepted", transactionId: "T-1", answer: '{"n":1.50}', tried: { atMs: 0, httpStatus: 200, left: true } }),
    writer.addTry("b", { atMs: 0, httpStatus: 503, left: true }),
    writer.close("b", { state: "unknown" }),
    writer.close("c", { state: "refused", tried: { atMs: 0, httpStatus: 402, left: true } }),
  ];
  await writer.reopen("d");
  // What is still on its way when the program ends is written all the same.
  await writer.end();
  await Promise.all(told);
  const [d, c, b, a] = await journal.list({});
  expect(a).toMatchObject({ state: "accepted", transactionId: "T-1", answer: '{"n":1.50}', tries: [{ httpStatus: 200 }] });
  expect(b).toMatchObject({ state: "unknown", unanswered: true, tries: [{ httpStatus: 503 }] });
  expect(c).toMatchObject({ state: "refused", tries: [{ httpStatus: 402 }] });
  expect(d).toMatchObject({ state: "started", unanswered: true });
  journal.dispose();
});

test("a thread that never begins to serve has written nothing: the journal at hand takes its work", async () => {
  const plain = await openJournal({ dataFolder: join(root, "plain"), clock });
  const missing = createRemoteWriter(startJournalThread(join(root, "no-such-file.cjs"), join(root, "plain")), plain);
  await Promise.all([missing.open(newAttempt("a")), missing.open(newAttempt("b"))]);
  await missing.close("a", { state: "accepted", transactionId: "T-1" });
  await expect(missing.open(newAttempt("a"))).rejects.toMatchObject({ kind: "duplicate" });
  await missing.end();
  expect((await plain.list({})).map(({ id, state }) => `${id} ${state}`)).toEqual(["b started", "a accepted"]);
  plain.dispose();
});

test("where one that served is no more, nothing is recorded, and that is said", async () => {
  const refusing = createRemoteWriter(startJournalThread(threadFile, join(root, "ended")), noWriter);
  await refusing.open(newAttempt("a"));
  await refusing.end();
  await expect(refusing.open(newAttempt("b"))).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("cannot be recorded") });
});

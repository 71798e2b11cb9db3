import { accountWords, type Run } from "../../command.ts";
import { CliError, usageError } from "../../errors.ts";
import { fieldOf, present, textOf } from "../../json/exact-json.ts";
import type { Block, Outcome, Style, Tone } from "../../outcome.ts";
import { timeCell } from "../../output/format.ts";
import { objectOutcome } from "../../output/outcomes.ts";
import { severalOutcome, transactionCard } from "../../output/views/transaction.ts";
import { isGlobalReference } from "../../service/contract/routes.ts";
import { commandLine, shellOf } from "../../shell.ts";
import { type ExplainDeps, gatherStory } from "../../transactions/explain/gather.ts";
import type { Story, StoryEvent } from "../../transactions/explain/story.ts";
import { timelineOf } from "../../transactions/explain/timeline.ts";
import { type Judged, judgeStory, type Verdict } from "../../transactions/explain/verdict.ts";
import { openMirrorToRead } from "../../transactions/mirror.ts";
import { mirrorKey } from "../../transactions/mirror-schema.ts";
import { toTransaction } from "../../transactions/transaction.ts";
import { findByPrefix } from "../id-prefix.ts";
import { attemptColumns, attemptRow } from "../journal/attempt-rows.ts";
import { noteConflicts } from "./conflicts.ts";
import type { txExplainSpec } from "./spec.ts";

/** `tx explain`: one payment's story, from every source that knows it (service 2.5, 4 and 6.2). */
export const run: Run<typeof txExplainSpec> = async ({ args }, context) => {
  const text = args.text.trim();
  if (text === "") throw usageError("Which payment? Give its id, reference, receipt, journal id or idempotency key.", "See: payments-cli tx explain --help");
  const account = await context.account();
  const { journal, signal, clock, progress, paths } = context;
  const mirror = async () => await openMirrorToRead(paths.data, mirrorKey(account));
  const deps = { client: await context.client(), baseUrl: account.baseUrl, dataFolder: () => paths.data, journal, mirror, signal, clock, progress };
  const found = await gatherStory(await wholeId(text, deps), deps);
  if (found === undefined) throw unknownPayment(text);
  if ("several" in found) {
    const choice = commandLine(["tx", "explain", "ID", ...accountWords(context.flags)], shellOf(context.env));
    const verdict = usageError(`${found.several.length} payments match "${text}".`, `Choose one: ${choice}`);
    return severalOutcome(found.several, verdict, await noteConflicts(found.several.map(toTransaction), context));
  }
  const judged = judgeStory(found.story);
  const command = judged.command === undefined ? undefined : [...judged.command, ...accountWords(context.flags)];
  return storyOutcome(found.story, { ...judged, command });
};

/** Completes the first characters of a journal id, as `journal list` shows them. No reference or receipt looks like that. */
const wholeId = async (text: string, { journal }: ExplainDeps): Promise<string> => {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/i.test(text)) return text;
  // If the journal cannot be read, the story says so.
  const found = await findByPrefix(text, async () => (await journal()).list({ limit: 100_000 })).catch(() => undefined);
  return found?.id ?? text;
};

const unknownPayment = (text: string): CliError => {
  const unknown = (message: string, hint: string, command: readonly string[]): CliError => new CliError("not-found", message, { hint, command });
  if (/^[+\d][\d ()-]{8,}$/.test(text)) {
    const message = `No payment is known as "${text}". If it is a phone, look for its payments first.`;
    return unknown(message, "To find them in your local copy", ["tx", "find", text]);
  }
  if (isGlobalReference(text)) {
    const message = `${text} was not made from this journal, and the service has no look-up for payments abroad.`;
    return unknown(message, "To see whether the balance moved", ["global", "wallet"]);
  }
  const message = `No payment is known as "${text}": it is not in the journal, your local copy or the newest transactions.`;
  return unknown(message, "To find receipts and older payments too, update your local copy", ["tx", "sync"]);
};

const storyOutcome = (story: Story, judged: Judged): Outcome => {
  const timeline = timelineOf(story);
  const { verdict, say, command, callback, contradictions } = judged;
  const attempts = story.attempts.map(attemptRow);
  const known = { verdict, say, command, callback, transaction: story.transaction?.body, attempts, ledger: [...story.ledger, ...story.holds] };
  const rows = { timeline: timeline.map((event) => ({ ...event })), contradictions, unread: story.unread.map((one) => ({ ...one })) };
  return objectOutcome(present({ ...known, ...rows }), (style) => blocksOf(story, judged, timeline, style));
};

/** A source as people call it. */
const sourceWords = (source = ""): string => (source === "mirror" ? "copy" : source);

const verdictWords: Readonly<Record<Verdict, { readonly text: string; readonly tone: Tone }>> = {
  paid: { text: "Paid", tone: "good" },
  unpaid: { text: "Ended unpaid", tone: "bad" },
  open: { text: "Still open", tone: "waiting" },
  unknown: { text: "Not known yet", tone: "waiting" },
};

const blocksOf = (
  story: Story,
  { verdict, say, command, callback, contradictions }: Judged,
  timeline: readonly StoryEvent[],
  style: Style,
): readonly Block[] => [
  {
    kind: "card",
    pairs: [
      ["Verdict", verdictWords[verdict]],
      ["Tell the customer", say],
      ["Callback", callback],
      ["Next", command === undefined ? undefined : commandLine(command, style.shell)],
      ...contradictions.map((sentence) => ["Careful", { text: sentence, tone: "bad" }] as const),
      ...story.unread.map(({ source, reason }) => ["Not read", { text: `${sourceWords(source)}: ${reason}`, tone: "bad" }] as const),
    ],
  },
  ...(story.transaction === undefined
    ? []
    : [transactionCard(story.transaction.body, { direction: story.direction, currency: "KES", stands: story.contradicted }, style)]),
  {
    kind: "table",
    title: "Timeline",
    columns: [
      { heading: "Time", isTime: true, cell: (row, shown) => timeCell(fieldOf(row, "at"), shown) },
      { heading: "Source", cell: (row) => ({ text: sourceWords(textOf(fieldOf(row, "source"))), tone: "quiet" }) },
      { heading: "Event", cell: (row) => textOf(fieldOf(row, "event")) ?? "" },
    ],
    rows: timeline.map((event) => ({ ...event })),
    empty: "Nothing more is known about it.",
  },
  ...(story.attempts.length < 2
    ? []
    : [{ kind: "table", title: "Attempts with this reference", columns: attemptColumns(story.attempts), rows: story.attempts.map(attemptRow) } as const]),
];

import type { Json } from "../../json/exact-json.ts";
import { textOf } from "../../json/exact-json.ts";
import type { Cell } from "../../outcome.ts";
import { classifyStatus, type Direction, isRecognisedStatus } from "../../transactions/status.ts";
import { absent } from "../format.ts";

const tones = { paid: "good", unpaid: "bad", open: "waiting" } as const;
const words = { paid: "paid", unpaid: "ended unpaid", open: "still open" } as const;

/** Where the direction is not known, a word that ends money in alone is not unknown: what it means depends. */
const dependsOnDirection = (status: string, direction: Direction): boolean =>
  direction === "unknown" && !isRecognisedStatus(status, "unknown") && classifyStatus(status, "in") === "unpaid";

/** A status in colour; one that this program does not know says so in words (rules.md, Living with what is not shown). */
export const statusCell = (value: Json | undefined, direction: Direction): Cell => {
  const status = textOf(value) ?? "";
  if (status === "") return { text: absent, tone: "quiet" };
  const known = isRecognisedStatus(status, direction) || dependsOnDirection(status, direction);
  return { text: known ? status : `${status} (unrecognised)`, tone: tones[classifyStatus(status, direction)] };
};

/** The status with what it means for the money: `COMPLETED, paid`. */
export const statusWithMeaning = (value: Json | undefined, direction: Direction): Cell => {
  const cell = statusCell(value, direction);
  const status = textOf(value) ?? "";
  if (status === "") return cell;
  if (dependsOnDirection(status, direction)) return { ...cell, text: `${status}: a push ended unpaid; a payout may still arrive` };
  const meaning = words[classifyStatus(status, direction)];
  return { ...cell, text: isRecognisedStatus(status, direction) ? `${status}, ${meaning}` : `${status} (unrecognised, counted as open)` };
};

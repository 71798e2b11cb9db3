import { classifyStatus, type Direction, isRecognisedStatus } from "../../domain/status.ts";
import type { Json } from "../../kernel/exact-json.ts";
import { textOf } from "../../kernel/exact-json.ts";
import type { Cell } from "../../kernel/outcome.ts";
import { absent } from "../format.ts";

const tones = { paid: "good", unpaid: "bad", open: "waiting" } as const;

/** A status in colour; one that this program does not know says so in words (cli.md, Living with what is not shown). */
export const statusCell = (value: Json | undefined, direction: Direction): Cell => {
  const status = textOf(value) ?? "";
  if (status === "") return { text: absent, tone: "quiet" };
  const tone = tones[classifyStatus(status, direction)];
  return { text: isRecognisedStatus(status, direction) ? status : `${status} (unrecognised)`, tone };
};

const words = { paid: "paid", unpaid: "ended unpaid", open: "still open" } as const;

/** The status with what it means for the money: `COMPLETED, paid`. */
export const statusWithMeaning = (value: Json | undefined, direction: Direction): Cell => {
  const cell = statusCell(value, direction);
  const status = textOf(value) ?? "";
  if (status === "") return cell;
  const meaning = words[classifyStatus(status, direction)];
  return { ...cell, text: isRecognisedStatus(status, direction) ? `${status}, ${meaning}` : `${status} (unrecognised, counted as open)` };
};

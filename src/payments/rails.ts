import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../errors.ts";
import { fieldOf, type Json, parseExact, stringifyExact, textOf } from "../json/exact-json.ts";
import { groupedAmount } from "../money/grouped.ts";
import { compareDecimals, readAmount, toDecimal } from "../money/money.ts";
import type { Client } from "../ports.ts";
import { routes } from "../service/contract/routes.ts";
import { ensureFolder, privateFile, readPrivateFile, replaceFile } from "../storage/safe-file.ts";

/** A rail as the providers endpoint lists it (service 2.4), the only source about rails (service 1.6). */
export type Rail = {
  readonly code: string;
  readonly name: string;
  readonly country: string;
  readonly currencies: readonly string[];
  /** PUSH, REDIRECT, or one that this program does not know. */
  readonly flow: string;
  /** Decimal text in major units; undefined where the service gave none. */
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly live: boolean;
  readonly collects: boolean;
  readonly disburses: boolean;
  readonly channels: readonly string[];
};
export type RailUse = "collect" | "withdraw";

export const isCollectionFlow = (flow: string): flow is "PUSH" | "REDIRECT" => flow === "PUSH" || flow === "REDIRECT";
export const isChannel = (channel: string): channel is "MOBILE_MONEY" | "BANK" => channel === "MOBILE_MONEY" || channel === "BANK";

const textsOf = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.flatMap((item: Json) => textOf(item) ?? []) : []);
const isTrue = (value: Json | undefined): boolean => value === true;
const numberText = (value: Json | undefined): string | undefined => {
  const text = textOf(value);
  return text !== undefined && toDecimal(text) !== undefined ? text : undefined;
};

/** A row of `providers`; undefined for one without a code, which no request could name. */
export const toRail = (row: Json): Rail | undefined => {
  const code = textOf(fieldOf(row, "rail"));
  if (code === undefined || code === "") return undefined;
  const can = fieldOf(row, "capabilities");
  return {
    code,
    name: textOf(fieldOf(row, "displayName")) ?? code,
    country: textOf(fieldOf(row, "country")) ?? "",
    currencies: textsOf(fieldOf(row, "currencies")),
    flow: textOf(fieldOf(row, "collectionFlow")) ?? "",
    min: numberText(fieldOf(row, "minAmount")),
    max: numberText(fieldOf(row, "maxAmount")),
    live: isTrue(fieldOf(row, "live")),
    collects: isTrue(fieldOf(can, "collect")),
    disburses: isTrue(fieldOf(can, "disburse")),
    channels: textsOf(fieldOf(can, "disbursementChannels")),
  };
};

export const railRowsOf = (answer: Json): readonly Json[] => {
  const rows = fieldOf(answer, "providers");
  return Array.isArray(rows) ? rows : [];
};
export const railsOf = (answer: Json): readonly Rail[] => railRowsOf(answer).flatMap((row) => toRail(row) ?? []);

/** What the service answers about its rails at this moment. */
export const readProviders = async (client: Pick<Client, "call">, signal: AbortSignal): Promise<Json> => (await client.call(routes.providers, { signal })).body;

const same = (one: string, other: string): boolean => one.trim().toUpperCase() === other.trim().toUpperCase();
const listed = (items: readonly string[]): string => (items.length === 0 ? "none" : items.join(", "));

/** Why a rail cannot be used for this at the moment, as the end of a sentence; undefined where it can. */
export const unusable = (rail: Rail, use: RailUse): string | undefined => {
  if (use === "collect" && !rail.collects) return "does not collect";
  if (use === "withdraw" && !rail.disburses) return "does not pay withdrawals out";
  if (!rail.live) return "is not live at the moment";
  if (use === "collect" && !isCollectionFlow(rail.flow))
    return `collects by the flow ${rail.flow === "" ? "(none given)" : rail.flow}, which this program does not know`;
  if (use === "withdraw" && !rail.channels.some(isChannel)) return `offers no withdrawal channel that this program knows (${listed(rail.channels)})`;
  return undefined;
};

/** The rail of a code that can be used for this. Throws CliError usage naming why not, and which there are. */
export const findRail = (rails: readonly Rail[], code: string, use: RailUse): Rail => {
  const rail = rails.find((each) => each.code === code.trim()) ?? rails.find((each) => same(each.code, code));
  const usable = rails.filter((each) => unusable(each, use) === undefined).map((each) => each.code);
  if (rail === undefined) throw usageError(`There is no rail "${code.trim()}" for this merchant.`, `Rails for this: ${listed(usable)}`);
  const why = unusable(rail, use);
  if (why !== undefined) throw usageError(`The rail ${rail.code} ${why}.`, `Rails for this: ${listed(usable)}`);
  return rail;
};

/** The rail's own spelling of a currency. Throws CliError usage where it has another. */
export const findCurrency = (rail: Rail, currency: string): string => {
  const found = rail.currencies.find((each) => same(each, currency));
  if (found === undefined) throw usageError(`The rail ${rail.code} does not take ${currency.trim()}: its currencies are ${listed(rail.currencies)}.`);
  return found;
};

/** The rail's own spelling of a withdrawal channel. Throws CliError usage for one it has not, or that this program does not know. */
export const findChannel = (rail: Rail, channel: string): "MOBILE_MONEY" | "BANK" => {
  const found = rail.channels.find((each) => same(each, channel));
  if (found === undefined) throw usageError(`The rail ${rail.code} has no channel ${channel.trim()}: it has ${listed(rail.channels)}.`);
  if (isChannel(found)) return found;
  throw usageError(`The channel ${found} is not known to this program.`, "A newer version may know it, and the command api sends any request.");
};

/** What is wrong with an amount on this rail, as a sentence; undefined where it is well (service 4: validated before submitting). */
export const railAmountProblem = (rail: Rail, typed: string, currency: string): string | undefined => {
  const read = readAmount(typed, currency);
  if ("problem" in read) return read.problem;
  const amount = toDecimal(read.amount.text);
  const shown = (text: string | undefined): string => (text === undefined ? "any amount" : groupedAmount(text, currency));
  const bounds = `${rail.code} takes ${shown(rail.min)} to ${shown(rail.max)} ${currency}`;
  const min = rail.min === undefined ? undefined : toDecimal(rail.min);
  const max = rail.max === undefined ? undefined : toDecimal(rail.max);
  if (amount === undefined) return undefined;
  if (min !== undefined && compareDecimals(amount, min) < 0) return `The amount ${shown(read.amount.text)} is too small: ${bounds}.`;
  if (max !== undefined && compareDecimals(amount, max) > 0) return `The amount ${shown(read.amount.text)} is too large: ${bounds}.`;
  return undefined;
};

/** Reading `cache` throws if there is no folder. */
type Folders = { readonly cache: string };
const cachePath = (cacheFolder: string): string => join(cacheFolder, "providers.json");

/**
 * The rails of the last providers answer, for completion; none where there is no readable cache. Nothing is ever checked against them
 * (service 1.6: rails are read at run time). Never throws.
 */
export const readProvidersCache = async (folders: Folders): Promise<readonly Rail[]> => {
  try {
    const bytes = await readPrivateFile(cachePath(folders.cache));
    return bytes === undefined ? [] : railsOf(parseExact(new TextDecoder().decode(bytes)));
  } catch {
    return [];
  }
};

/** Keeps a providers answer's body. A comfort: never throws, whatever the disk says. */
export const writeProvidersCache = async (folders: Folders, body: Json): Promise<void> => {
  try {
    const cacheFolder = folders.cache;
    await ensureFolder(cacheFolder);
    await replaceFile(cachePath(cacheFolder), (staged) => writeFile(staged, `${stringifyExact(body)}\n`, { mode: privateFile }));
  } catch {
    // Completion offers the older rails then, or none.
  }
};

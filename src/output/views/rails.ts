import { fieldOf, type Json, textOf } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import type { Column, View } from "../../outcome.ts";
import { absent } from "../format.ts";

const text = (row: Json, name: string): string => textOf(fieldOf(row, name)) ?? absent;
const list = (value: Json | undefined): string => {
  const items = Array.isArray(value) ? value.flatMap((item: Json) => textOf(item) ?? []) : [];
  return items.length === 0 ? absent : items.join(", ");
};
const currencyOf = (row: Json): string => {
  const currencies = fieldOf(row, "currencies");
  return Array.isArray(currencies) && currencies.length === 1 ? (textOf(currencies[0]) ?? "") : "";
};
const bound = (row: Json, name: string): string => {
  const value = textOf(fieldOf(row, name));
  return value === undefined ? absent : groupedAmount(value, currencyOf(row));
};
const can = (row: Json, name: string): Json | undefined => fieldOf(fieldOf(row, "capabilities"), name);
const knownFlows: readonly string[] = ["PUSH", "REDIRECT"];
const flow = (row: Json): string => {
  const value = textOf(fieldOf(row, "collectionFlow"));
  if (value === undefined) return absent;
  return knownFlows.includes(value) ? value : `${value} (unrecognised)`;
};

const columns: readonly Column[] = [
  { heading: "RAIL", cell: (row) => text(row, "rail") },
  { heading: "NAME", cell: (row) => text(row, "displayName"), sheds: 4 },
  { heading: "COUNTRY", cell: (row) => text(row, "country") },
  { heading: "CURRENCIES", cell: (row) => list(fieldOf(row, "currencies")) },
  { heading: "MIN", align: "right", cell: (row) => bound(row, "minAmount"), sheds: 1 },
  { heading: "MAX", align: "right", cell: (row) => bound(row, "maxAmount"), sheds: 1 },
  { heading: "COLLECT", cell: (row) => (can(row, "collect") === true ? flow(row) : { text: "no", tone: "quiet" }) },
  { heading: "WITHDRAW", cell: (row) => (can(row, "disburse") === true ? list(can(row, "disbursementChannels")) : { text: "no", tone: "quiet" }), sheds: 2 },
  { heading: "CATEGORIES", cell: (row) => list(can(row, "categories")), sheds: 5 },
  { heading: "LIVE", cell: (row) => (fieldOf(row, "live") === true ? { text: "live", tone: "good" } : { text: "not live", tone: "waiting" }) },
];

/** Rails as the providers endpoint told them (service 2.4). */
export const railsView: View = { kind: "table", columns, empty: "No rails." };

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
  { heading: "Rail", cell: (row) => text(row, "rail") },
  { heading: "Name", cell: (row) => text(row, "displayName"), sheds: 4 },
  { heading: "Country", cell: (row) => text(row, "country") },
  { heading: "Currencies", cell: (row) => list(fieldOf(row, "currencies")) },
  { heading: "Min", align: "right", cell: (row) => bound(row, "minAmount"), sheds: 1 },
  { heading: "Max", align: "right", cell: (row) => bound(row, "maxAmount"), sheds: 1 },
  { heading: "Collect", cell: (row) => (can(row, "collect") === true ? flow(row) : { text: "no", tone: "quiet" }) },
  { heading: "Withdraw", cell: (row) => (can(row, "disburse") === true ? list(can(row, "disbursementChannels")) : { text: "no", tone: "quiet" }), sheds: 2 },
  { heading: "Categories", cell: (row) => list(can(row, "categories")), sheds: 5 },
  { heading: "Live", cell: (row) => (fieldOf(row, "live") === true ? { text: "live", tone: "good" } : { text: "not live", tone: "waiting" }) },
];

/** Rails as the providers endpoint told them (service 2.4). */
export const railsView: View = { kind: "table", columns, empty: "No rails." };

import { fieldOf, isObject, type Json, textOf } from "../../json/exact-json.ts";
import { groupedAmount } from "../../money/grouped.ts";
import type { Block, View } from "../../outcome.ts";
import { absent, zonedTime } from "../format.ts";
import { otherPairs } from "./transaction.ts";

const conversionBlock = (conversion: Json): Block => {
  const part = (name: string): string => textOf(fieldOf(conversion, name)) ?? absent;
  const from = `${part("from")} ${groupedAmount(part("amount"), part("from"))}`;
  const to = `${part("to")} ${groupedAmount(part("result"), part("to"))}`;
  return { kind: "text", lines: [{ text: `${from} = ${to}`, tone: "strong" }, `at ${part("rate")} ${part("to")} for one ${part("from")}`] };
};

const lastLine: Block = { kind: "text", lines: [{ text: "For information only: payments use the provider's own rate.", tone: "quiet" }] };

/** Display rates (service 2.7), with the conversion asked for before them. */
export const ratesView: View = {
  kind: "blocks",
  blocks: (rows, style) =>
    rows.flatMap((row): readonly Block[] => {
      const { rates, ...others } = isObject(row) ? row : {};
      const conversion = fieldOf(row, "conversion");
      const base = textOf(fieldOf(row, "base")) ?? "the base";
      if (conversion !== undefined) return [conversionBlock(conversion), lastLine];
      const pairs = isObject(rates) ? Object.entries(rates).map(([currency, rate]) => ({ currency, rate })) : [];
      return [
        {
          kind: "card",
          title: `Rates for one ${base}`,
          pairs: [["As of", zonedTime(fieldOf(row, "fetchedAt"), style)], ...otherPairs(others, ["base", "fetchedAt", "supportedCurrencies"], style)],
        },
        {
          kind: "table",
          columns: [
            { heading: "Currency", cell: (each) => textOf(fieldOf(each, "currency")) ?? absent },
            { heading: "Rate", align: "right", cell: (each) => textOf(fieldOf(each, "rate")) ?? absent },
          ],
          rows: pairs,
          empty: "No rates.",
        },
        lastLine,
      ];
    }),
};

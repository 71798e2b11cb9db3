import type { Replies } from "../../service/contract/types.ts";
import catalogue from "./rails.json" with { type: "json" };

type ServedRail = Replies["providers"]["providers"][number];
/** A rail as the sandbox knows it: what is served, and in `x` what is its own. */
export type Rail = ServedRail & {
  readonly x: {
    /** Decimals of its currencies. */
    readonly decimals: number;
    readonly operators?: readonly string[];
    readonly bankCodes?: readonly string[];
    /** As `railFee` reads it. */
    readonly fee: string;
  };
};

export const rails: readonly Rail[] = catalogue;
export const servedRails = (): readonly ServedRail[] => rails.map(({ x: _, ...served }) => served);
export const findRail = (code: string): Rail | undefined => rails.find((rail) => rail.rail === code);

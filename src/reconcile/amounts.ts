export type DecimalMark = "." | ",";
export type DecimalEvidence = { readonly point: string | undefined; readonly comma: string | undefined; readonly unclear: string | undefined };

// A currency in front or behind, and what spreadsheets put between thousands beside points and commas.
const decoration = /^(?:KES|KSHS?\.?|KSH)\s*|\s*(?:KES|KSHS?\.?|\/=|\/-)$/gi;
const spaces = /[\s\u00a0\u202f\u2009'’]/gu;

const bare = (cell: string): string => cell.trim().replace(decoration, "").trim();

/** What one cell says about its column: which mark must be the decimal one, or that it could be either. */
const markOf = (cell: string): DecimalMark | "either" | undefined => {
  const text = bare(cell)
    .replace(spaces, "")
    .replace(/^[-+(]+|[-)]+$/g, "");
  if (!/^\d[\d.,]*$/.test(text)) return undefined;
  const point = text.lastIndexOf(".");
  const comma = text.lastIndexOf(",");
  if (point < 0 && comma < 0) return undefined;
  if (point >= 0 && comma >= 0) return point > comma ? "." : ",";
  const mark: DecimalMark = point >= 0 ? "." : ",";
  const other: DecimalMark = mark === "." ? "," : ".";
  const parts = text.split(mark);
  if (parts.length > 2) return other;
  const [whole = "", fraction = ""] = parts;
  return fraction.length !== 3 || whole.length > 3 || whole.startsWith("0") ? mark : "either";
};

/** What a program writes: the usual case of a large file. Three decimals or none leave it to the slower look. */
const plain = /^\d{1,13}\.\d{1,2}$/;
const plainWhole = /^\d{1,13}$/;

/** Collects, over a whole column, which decimal mark it uses (rules.md: decided by the whole column). */
export const createDecimalJudge = () => {
  const seen: { [mark in DecimalMark | "either"]: string | undefined } = { ".": undefined, ",": undefined, either: undefined };
  return {
    see(cell: string): void {
      if (cell === "" || (!cell.includes(".") && !cell.includes(","))) return;
      if (plain.test(cell)) {
        seen["."] ??= cell;
        return;
      }
      const mark = markOf(cell);
      if (mark !== undefined) seen[mark] ??= cell;
    },
    evidence: (): DecimalEvidence => ({ point: seen["."], comma: seen[","], unclear: seen.either }),
  };
};

/** The amount of a cell in hundredths, or why it is none. An empty cell is undefined. */
export const parseAmount = (cell: string, decimal: DecimalMark): bigint | undefined | { readonly problem: string } => {
  if (plainWhole.test(cell)) return BigInt(cell) * 100n;
  if (decimal === "." && plain.test(cell)) {
    const point = cell.indexOf(".");
    return BigInt(cell.slice(0, point) + cell.slice(point + 1).padEnd(2, "0"));
  }
  let text = bare(cell);
  if (text === "") return undefined;
  const bracketed = /^\((.*)\)$/.exec(text);
  if (bracketed !== null) text = `-${bracketed[1] ?? ""}`;
  const trailing = /^([^-]*)-$/.exec(text);
  if (trailing !== null) text = `-${trailing[1] ?? ""}`;
  text = text.replace(/^-\s*(?:KES|KSHS?\.?)\s*/i, "-");
  const found = (decimal === "." ? pointNumber : commaNumber).exec(text);
  if (found === null) return { problem: "the amount is no number" };
  const fraction = (found[3] ?? "").replace(/0+$/, "");
  if (fraction.length > 2) return { problem: "the amount has more than two decimals" };
  const minor = BigInt((found[2] ?? "").replace(/\D/gu, "") + fraction.padEnd(2, "0"));
  return found[1] === "-" ? -minor : minor;
};

const group = "[\\s\\u00a0\\u202f\\u2009'’";
const pointNumber = new RegExp(`^([-+]?)\\s*(\\d+|\\d{1,3}(?:${group},]\\d{3})+)(?:\\.(\\d*))?$`, "u");
const commaNumber = new RegExp(`^([-+]?)\\s*(\\d+|\\d{1,3}(?:${group}.]\\d{3})+)(?:,(\\d*))?$`, "u");

/** A number as JSON writes it (`1500`, `99.9`, `1e3`), in hundredths; undefined where it has more than two decimals or is none. */
export const minorOfJsonNumber = (text: string): bigint | undefined => {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found;
  const digits = whole + fraction;
  const zeros = 2 + Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(sign + digits + "0".repeat(zeros));
  const cut = digits.padStart(1 - zeros, "0");
  return /^0*$/.test(cut.slice(zeros)) ? BigInt(sign + cut.slice(0, zeros)) : undefined;
};

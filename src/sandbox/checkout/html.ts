import { escapeHtml } from "../../html.ts";

/** Markup that is known to be safe: only `html` makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | undefined | readonly Part[];
const toText = (part: Part): string => {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(toText).join("") : escapeHtml(String(part));
};

/** Markup in which every value is escaped, unless it is markup itself. Values stand in text or inside double quotes. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + toText(parts[index])).join(""));

import type { Category } from "../../reconcile/judge.ts";
import words from "./reconcile-words.json" with { type: "json" };

export type Titles = Readonly<Record<Category | "here" | "there", string>>;
/** What each category, and each side, is called for people; `isFile`: what is there is another file, and not the service. */
export const titlesOf = (isFile: boolean): Titles => ({ ...words.titles, ...(isFile ? words["titles beside a file"] : {}) });
/** Of what is missing here, the money out: no customer's payment. */
export const paidOut = words["paid out"];
/** What to do next about each. */
export const nextSteps: Readonly<Record<Category, string>> = words.next;

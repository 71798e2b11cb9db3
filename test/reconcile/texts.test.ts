import { expect, it } from "vitest";
import { createTexts } from "../../src/transactions/texts.ts";

it("numbers each text once, whatever it is made of", () => {
  const texts = createTexts();
  const all = [
    "",
    "A-1",
    "a-1",
    "\u00e9",
    "\u20ac 5",
    "x".repeat(5000),
    ...Array.from({ length: 70_000 }, (_, index) => `INV-${index}-${"y".repeat(index % 40)}`),
  ];
  expect(all.every((text) => texts.find(text) === -1)).toBe(true);
  expect(all.every((text, index) => texts.idOf(text) === index)).toBe(true);
  expect(all.every((text, index) => texts.idOf(text) === index && texts.find(text) === index && texts.textOf(index) === text)).toBe(true);
  expect(texts.count()).toBe(all.length);
});

/** What a test number does. Assumed: the numbers that payment people know from other sandboxes. */
export const testCards = [
  { number: "4242 4242 4242 4242", outcome: "approve", says: "is approved" },
  { number: "5555 5555 5555 4444", outcome: "approve", says: "is approved" },
  { number: "4000 0000 0000 0002", outcome: "decline", says: "is declined" },
] as const;

export type CardVerdict = "approve" | "decline" | "not-a-card" | "not-a-test-card";

const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};

/** Judges a typed card number. A real card has no place here: it is refused unread, and nothing of it is kept. */
export const judgeCard = (typed: string): CardVerdict => {
  const digits = typed.replace(/[\s-]/g, "");
  if (!/^\d{12,19}$/.test(digits) || !passesLuhn(digits)) return "not-a-card";
  return testCards.find(({ number }) => number.replaceAll(" ", "") === digits)?.outcome ?? "not-a-test-card";
};

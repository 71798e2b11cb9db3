/** Letters and digits that are not mistaken for each other when read aloud or copied by hand. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** A merchant reference as sent: trimmed. Returns the problem as a sentence instead of throwing. */
export const readReference = (typed: string): { readonly reference: string } | { readonly problem: string } => {
  const reference = typed.trim();
  if (reference === "") return { problem: "The reference is empty." };
  // Assumed: a line break or control character in a reference is an accident of pasting, and would never be found again.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(reference)) return { problem: "The reference holds a line break or another control character." };
  return { reference };
};

/** A reference to offer, like `STK-20261128-AB12`. `isoDay` is YYYY-MM-DD; four random bytes choose the end. */
export const offerReference = (prefix: string, isoDay: string, bytes: Uint8Array): string => {
  const end = Array.from(bytes.slice(0, 4), (byte) => alphabet[byte % alphabet.length] ?? "2").join("");
  return `${prefix}-${isoDay.replaceAll("-", "")}-${end}`;
};

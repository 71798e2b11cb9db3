const shown = "****";
// Nine digits are the shortest national number; ids and amounts with letters or a point beside them are left alone.
const phones = /(?<=%2B|(?<![\w.+-]))\+?\d{9,15}(?!\w|\.\d)/gi;

/** Keeps the first and last digits of whatever may be a phone: 254712345678 becomes 2547****678. */
export const maskPhones = (text: string): string =>
  text.replace(phones, (whole) => {
    const digits = whole.replace("+", "");
    return `${whole.slice(0, whole.length - digits.length + 4)}${shown}${whole.slice(-3)}`;
  });

/** The parts of a secret's base64 that are the same whatever stands before it, in both alphabets. */
const base64Forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret, "utf8");
  const forms = [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, "")];
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const inner = whole.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    // A shorter one could be part of any word.
    if (inner.length >= 6) forms.push(inner);
  }
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
};

/** Replaces each secret, plain, percent-encoded or in base64, in any case of letters, by `****`. A secret of one character is no secret. */
export const createMask = (secrets: readonly string[]): ((text: string) => string) => {
  let any: RegExp | undefined;
  return (text) => {
    // Made when there is something to mask: most calls have nothing to say.
    any ??= patternOf(formsOf(secrets));
    return text.replace(any, shown);
  };
};

/** In any case of letters: a key pasted as a host is told in small ones. Without a form it matches nothing. */
const patternOf = (forms: readonly string[]): RegExp => new RegExp(forms.length === 0 ? "(?!)" : forms.join("|"), "gi");

const formsOf = (secrets: readonly string[]): readonly string[] => {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.trim().length < 2) continue;
    for (const form of [
      secret,
      secret.trim(),
      encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\ufffd")),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(secret),
    ]) {
      forms.add(form);
    }
  }
  return [...forms].sort((a, b) => b.length - a.length).map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
};

/** Raw names and values in turn as one record: names in lower case, repeated ones joined. It has no prototype: a header may be called `__proto__`. */
export const joinHeaders = (raw: readonly string[]): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
};

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * A name that one object of the text has twice, or undefined. Parsers disagree on which of the two counts: what is checked here
 * would not be what the service reads. The text is JSON already; depth costs no stack.
 */
export const repeatedKey = (json: string): string | undefined => {
  const open: (Set<string> | undefined)[] = [];
  let text = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      const name = String(JSON.parse(text));
      if (names?.has(name) === true) return name;
      names?.add(name);
    } else if (token !== ",") text = token;
  }
  return undefined;
};

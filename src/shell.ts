/** Which shell a command is pasted into. */
export type Shell = "posix" | "windows";
/** Which shell a hint will be pasted into: Windows sets OS everywhere, and Git Bash and the like set SHELL too. */
export const shellOf = (env: Readonly<Record<string, string | undefined>>): Shell =>
  env["OS"] === "Windows_NT" && env["SHELL"] === undefined ? "windows" : "posix";

/**
 * One argument, quoted so that it can be pasted as it was. A backslash stands outside of quotes: fish takes one inside them for an
 * escape. On Windows double quotes serve PowerShell and cmd alike; what PowerShell reads inside them goes into its single ones.
 */
export const quoteForShell = (argument: string, shell: Shell = "posix"): string => {
  if (/^(?![=%])[\w./:=@%+,-]+$/.test(argument) && !(shell === "windows" && /[@%,]/.test(argument))) return argument;
  if (shell === "windows") {
    // Curly quotes are quotes to PowerShell, and a backslash before the last one would escape it.
    if (/["$`\u201c-\u201e]/.test(argument)) return `'${argument.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
    return `"${argument.replace(/\\+$/, "$&$&")}"`;
  }
  if (unseen.test(argument)) return `$'${[...argument.replace(/[\\']/g, "\\$&")].map((each) => (unseen.test(each) ? ansiC(each) : each)).join("")}'`;
  return `'${argument.replace(/['\\]/g, "'\\$&'")}'`;
};

/** A whole command, ready to be pasted. `words` follow the program's name. */
export const commandLine = (words: readonly string[], shell?: Shell): string => ["payments-cli", ...words.map((word) => quoteForShell(word, shell))].join(" ");

/** What a terminal acts on or does not show, apart from the joiners and selectors of emoji: it is not pasted as it was. */
const unseen = /(?!\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** As `$'…'` of bash and zsh has it. */
const ansiC = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  // `\x85` would be a byte, not a character.
  const [letter, digits] = code < 0x80 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
};

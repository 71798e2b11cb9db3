const wrapping = /^[\s\uFEFF\u200B"'`\u201C\u201D\u2018\u2019]+|[\s\uFEFF\u200B"'`\u201C\u201D\u2018\u2019]+$/g;

/** Removes what a paste, a secret file or a shell leaves around a value: white space, byte order marks, zero-width spaces, quotes. */
export const unwrap = (text: string): string => text.replace(wrapping, "");

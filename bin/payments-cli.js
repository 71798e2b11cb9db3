#!/usr/bin/env node
"use strict";
const { fstatSync, readFileSync, writeSync } = require("node:fs");

const { version } = JSON.parse(readFileSync(`${__dirname}/../package.json`, "utf8"));
const words = process.argv.slice(2);

/** What is known beforehand is written at once; process.stdout alone takes longer to load than to answer. */
const known = () => {
  if (words.length !== 1) return undefined;
  if (words[0] === "--version" || words[0] === "-V") return `${version}\n`;
  // A terminal gets it as wide as it is, from the program itself.
  if ((words[0] !== "--help" && words[0] !== "-h") || (fstatSync(1).isCharacterDevice() && require("node:tty").isatty(1))) return undefined;
  return readFileSync(`${__dirname}/../dist/help.txt`, "utf8");
};
const tell = () => {
  try {
    const text = known();
    return text !== undefined && writeSync(1, text) === Buffer.byteLength(text);
  } catch {
    return false; // A reader that is gone or slow, or a fresh checkout: the program itself copes with those.
  }
};

if (!tell()) {
  require("../dist/boot.cjs").boot(`${__dirname}/../dist`, version);
}

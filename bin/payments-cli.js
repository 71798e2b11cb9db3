#!/usr/bin/env node
"use strict";
const { version } = require("../package.json");
const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  // Node 22 and later keep compiled code between runs.
  require("node:module").enableCompileCache?.();
  require("../dist/start.cjs").start(version);
}

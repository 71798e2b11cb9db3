#!/usr/bin/env bash
# The process tests with the binary run by other Nodes (the `node` package on npm carries the binaries), and the executable.
# Left out: what shells, file owners, full disks, keychains, many writers and a shared database do, which no version of Node changes and which takes half of the time.
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=${PAYMENTS_NODES:-${TMPDIR:-/tmp}/payments-cli-nodes}
failed=0
for major in "$@"; do
  mkdir -p "$folder/$major"
  platform=$(node -p '`node-${process.platform}-${process.arch}`')
  binary="$folder/$major/node_modules/$platform/bin/node"
  [ -x "$binary" ] || (cd "$folder/$major" && npm init -y >/dev/null && npm install --silent --no-audit "$platform@$major" >/dev/null)
  "$binary" --version || { failed=1; continue; }
  PAYMENTS_TEST_NODE="$binary" npx vitest run --config test/meta/vitest.config.ts --project process test/process --exclude '**/{clock,completion,docs,environment,keychain,profiles}/**' --exclude '**/{shared,stalled,unwritten}.test.ts' || failed=1
done
# The single-file executable, made by the last of them.
home=$(mktemp -d)
executable() {
  "$binary" build/exe.mjs && [ "$(dist-exe/payments-cli --version)" = "$(node -p 'require("./package.json").version')" ] &&
    PAYMENTS_HOME="$home" dist-exe/payments-cli stk --phone 0712345001 --amount 150 --reference EXE-1 --wait --sandbox --json | grep -q '"COMPLETED"'
}
executable || { echo "the executable: failed"; failed=1; }
rm -rf "$home"
exit "$failed"

#!/usr/bin/env bash
# The process tests with the binary run by other Nodes (the `node` package on npm carries the binaries).
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
  PAYMENTS_TEST_NODE="$binary" npm test --silent -- --project process test/process || failed=1
done
exit "$failed"

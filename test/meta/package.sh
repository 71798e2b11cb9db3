#!/usr/bin/env bash
# The tarball as users get it: its size, its types, its shape, and a run from it in an empty folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm pack --silent --pack-destination "$folder" >/dev/null
tarball=$(ls "$folder"/*.tgz)
bytes=$(stat -c %s "$tarball")
echo "tarball: $bytes bytes"
# Nine parts of ten are SQLite for eight systems, which Node 22.13 and newer never open.
[ "$bytes" -lt 11500000 ]
npx --no-install publint run "$tarball" --strict
npx --no-install attw "$tarball" --profile esm-only --quiet
mkdir "$folder/user" && cd "$folder/user"
npm init -y >/dev/null
npm install --silent "$tarball"
packages=$(find node_modules -name package.json -path '*node_modules/*' -not -path '*/dist/*' | grep -Ec 'node_modules/(@[^/]+/)?[^/]+/package.json$')
echo "packages installed: $packages"
[ "$packages" -le 3 ]
# No package runs a script when it is installed: newer versions of npm warn of each, or block it.
node -e '
  const { existsSync, readFileSync, readdirSync } = require("fs");
  const packages = readdirSync("node_modules", { recursive: true }).map(String).filter((path) => /(^|node_modules.)(@[^\\/]+.)?[^\\/]+.package.json$/.test(path));
  for (const path of packages) {
    const { name, scripts = {} } = JSON.parse(readFileSync(`node_modules/${path}`, "utf8"));
    const runs = ["preinstall", "install", "postinstall"].filter((script) => scripts[script] !== undefined);
    if (existsSync(`node_modules/${path.replace("package.json", "binding.gyp")}`)) runs.push("binding.gyp");
    if (runs.length > 0) { console.error(`${name} runs ${runs} when it is installed`); process.exitCode = 1; }
  }'
megabytes=$(du -sm node_modules | cut -f1)
echo "installed: $megabytes MB"
[ "$megabytes" -lt 33 ]
(cd node_modules/payments-cli/dist/sqlite && sha256sum --quiet --check SHA256SUMS)
# Each bundled package comes with its licence.
sed -nE 's|^\s*//.* ?([^ ]*/)?node_modules/((@[^/]+/)?[^/]+)/.*|\2|p' $(find node_modules/payments-cli/dist -name "*.?js") | sort -u >bundled
grep -q undici bundled
while read -r name; do
  grep -qE "^$name [0-9.]+ " node_modules/payments-cli/dist/licenses.txt || { echo "the licence of $name is missing"; exit 1; }
done <bundled
# The types need no other package: neither Node's nor the DOM's.
"$root/node_modules/.bin/tsc" --strict --noEmit --lib es2022 --target es2022 --module nodenext node_modules/payments-cli/dist/{library,sandbox}.d.ts
export PAYMENTS_HOME="$folder/home"
[ "$(npx --no-install payments-cli --version)" = "$(node -p 'require("payments-cli/package.json").version')" ]
npx --no-install payments-cli demo --json | node -e 'const {steps}=JSON.parse(require("fs").readFileSync(0,"utf8")); if(!steps.length||steps.some((s)=>!s.ok)) process.exit(1)'
# The example of docs/sandbox.md, run as it stands there.
sed -n '/^```ts$/,/^```$/p' "$root/docs/sandbox.md" | sed '/^```/d' > library.mjs
grep -q createSandbox library.mjs
node library.mjs
# A test in CommonJS takes it too: Node 20.19 requires a module that waits for nothing.
node -e 'const {createSandbox}=require("payments-cli/sandbox"); const {createClient}=require("payments-cli"); createSandbox().then(async (s)=>{const c=createClient({baseUrl:s.url,apiKey:s.apiKey}); await c.wallet(); await c.close(); await s.close()})'

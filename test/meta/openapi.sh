#!/usr/bin/env bash
# A mock server of somebody else's, started from our OpenAPI document, answers this program (CONTRIBUTING.md, Tests).
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'kill "${mock:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
node bin/payments-cli.js schema openapi >"$work/openapi.json"
npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --silent @stoplight/prism-cli@5.14.2
port=$(node -e 'const s=require("node:net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
"$work/node_modules/.bin/prism" mock --port "$port" "$work/openapi.json" >"$work/prism.log" 2>&1 &
mock=$!
export PAYMENTS_API_KEY=mock_key_0123456789 PAYMENTS_BASE_URL="http://127.0.0.1:$port" PAYMENTS_HOME="$work/home"
for _ in $(seq 100); do
  node bin/payments-cli.js wallet --json --retries 0 >/dev/null 2>&1 && break
  sleep 0.3
done
count=0
answers() {
  node bin/payments-cli.js "$@" --json --retries 0 >"$work/out.json" || { echo "payments-cli $*: exit $?"; tail -5 "$work/prism.log"; exit 1; }
  node -e 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))' "$work/out.json"
  count=$((count + 1))
}
answers wallet
answers b2c stats
answers tx list
answers tx get string
answers global providers
answers global wallet
answers global fx
answers global collect --rail KE_MPESA --amount 10 --currency KES --msisdn 0712345678
answers global withdraw --rail KE_MPESA --channel MOBILE_MONEY --operator MPESA --msisdn 0712345678 --amount 10 --currency KES --yes
answers stk --phone 0712345678 --amount 10 --reference MOCK-1
answers b2c --phone 0712345678 --amount 10 --reference MOCK-2 --yes
echo "$count commands were answered by the mock server"

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHome } from "../../support/ends.ts";
import { binary, cleanEnv, node } from "../../support/process.ts";
import { canUnshare } from "../../support/root.ts";

const root = createHome();

const slowFirst = fileURLToPath(new URL("../../cases/files/07-slow-first-address.sh", import.meta.url));

/**
 * As in that script localhost has two addresses. Here the first never answers (its queue is full) and the service is on the second,
 * or on none. It counts the creations that reach it on its standard error.
 */
const deadFirst = join(root, "dead-first.sh");
writeFileSync(
  deadFirst,
  `ip link set lo up
hosts=$(mktemp) && printf '127.0.0.1 localhost\\n127.0.0.2 localhost\\n' >"$hosts" && mount --bind "$hosts" /etc/hosts && rm "$hosts"
exec python3 - "$@" <<'PY'
import http.server, json, os, socket, subprocess, sys, threading
dead = socket.socket(); dead.bind(("127.0.0.1", 45998)); dead.listen(0)
held = []
for _ in range(2):
    one = socket.socket(); one.setblocking(False)
    try: one.connect(("127.0.0.1", 45998))
    except BlockingIOError: pass
    held.append(one)
class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.command == "POST": sys.stderr.write("created\\n")
        body = json.dumps({"success": True, "wallet": {}, "transactions": [], "total": 0, "transactionId": "T1", "status": "SENT"}).encode()
        self.send_response(200); self.send_header("content-length", str(len(body))); self.end_headers(); self.wfile.write(body)
    do_GET = do_POST = answer
if os.environ.get("SECOND") != "dead":
    server = http.server.ThreadingHTTPServer(("127.0.0.2", 45998), Service); server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.call(sys.argv[1:]))
PY
`,
);

const run = async (script: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const home = createHome();
  const child = spawn("unshare", ["-nm", "bash", script, node, binary, ...words], {
    cwd: home,
    env: cleanEnv({ PAYMENTS_HOME: home, PAYMENTS_API_KEY: "k1", PAYMENTS_BASE_URL: "http://localhost:45998", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...output };
};
const payment = ["b2c", "--phone", "0712345678", "--amount", "100", "--reference", "A-1", "--yes", "--json", "--retries", "0"];
const batch = (name: string): string => {
  const path = join(root, name);
  writeFileSync(path, "phone,amount,reference\n0712345678,100,B-1\n0712345679,100,B-2\n");
  return path;
};

describe.runIf(canUnshare)("a service with two addresses (in a network of its own: unshare, as root)", () => {
  it("R2-07: the first takes a second to connect, and the second is dead", async () => {
    const { code, stdout } = await run(slowFirst, ["wallet", "--json", "--retries", "0"]);
    expect([code, JSON.parse(stdout).wallet.balance]).toEqual([0, 1000]);
  });

  it("R2-07: so too over kept connections", async () => {
    const { code, stdout } = await run(slowFirst, ["tx", "list", "--all", "--json", "--retries", "0"]);
    expect([code, JSON.parse(stdout).transactions]).toEqual([0, []]);
  });

  it("the first never answers, and the second does", async () => {
    expect((await run(deadFirst, ["wallet", "--json", "--retries", "0"])).code).toBe(0);
    const paid = await run(deadFirst, payment);
    expect([paid.code, JSON.parse(paid.stdout).transactionId, paid.stderr]).toEqual([0, "T1", "created\n"]);
    const batched = await run(deadFirst, ["b2c", "batch", batch("two.csv"), "--yes", "--json", "--retries", "0"]);
    expect([batched.code, JSON.parse(batched.stdout).summary.accepted]).toEqual([0, 2]);
  });

  it("neither ever answers: nothing left, however long it was tried", async () => {
    const { code, stdout, stderr } = await run(deadFirst, [...payment, "--timeout", "1"], { SECOND: "dead" });
    expect([code, stdout, JSON.parse(stderr).error]).toMatchObject([10, "", { kind: "unavailable", sent: "no" }]);
  });
});

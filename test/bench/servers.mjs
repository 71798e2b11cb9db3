// What the sandbox is measured against: a bare node:http server, and other people's mocks where npm can fetch them.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { installed } from "./peers.mjs";
import { cleanEnv } from "./processes.mjs";

const canPin = spawnSync("taskset", ["-c", "0", "true"]).status === 0;
const cores = { server: "0", load: availableParallelism() > 1 ? "1" : "0" };

/** Options for `fork`, or a command line, that keep a process to its core where the system can. */
export const pinned = (role) => (canPin ? { execPath: "taskset", execArgv: ["-c", cores[role], process.execPath] } : {});
const commandOf = (args) => (canPin ? ["taskset", ["-c", cores.server, process.execPath, ...args]] : [process.execPath, args]);

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
const answers = (port) =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(!socket.destroy().connecting)).once("error", () => resolve(false));
  });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts Node with these arguments on the servers' core; resolves when `ready` says so. */
export const startServer = async (args, { env = {}, ready }) => {
  const [command, all] = commandOf(args);
  const child = spawn(command, all, { env: cleanEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const found = await Promise.race([ready(child), ended.then((code) => Promise.reject(new Error(`ended ${code}: ${errors.slice(0, 300)}`)))]);
  return { ...found, pid: child.pid, close: async () => void (child.kill() && (await ended)) };
};
const listening = (port) => async () => {
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries > 300) throw new Error("did not listen within 30 s");
    await pause(100);
  }
  return { url: `http://127.0.0.1:${port}` };
};

/** Answers everything with one transaction, as little as a server can do. */
const bare = (port) => `
const body = JSON.stringify(${JSON.stringify(record)});
require("node:http").createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}).listen(${port}, "127.0.0.1");`;
const record = {
  id: "TX1",
  reference: "INV-1",
  amount: 150,
  status: "COMPLETED",
  provider: "MPESA",
  providerRef: "ws_CO_1",
  metadata: { phone: "254712345678", receipt: "UAS1A2B3C4" },
};
export const startBare = async () => {
  const port = await freePort();
  return { ...(await startServer(["-e", bare(port)], { ready: listening(port) })), path: "/" };
};

const write = (folder, name, value) => {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
};

const openApi = {
  openapi: "3.0.0",
  info: { title: "bench", version: "1" },
  paths: { "/transactions/TX1": { get: { responses: { 200: { description: "one", content: { "application/json": { example: record } } } } } } },
};
const mockoonRoute = {
  uuid: "r1",
  type: "http",
  method: "get",
  endpoint: "transactions/TX1",
  responses: [
    {
      uuid: "a1",
      statusCode: 200,
      body: JSON.stringify(record),
      headers: [{ key: "content-type", value: "application/json" }],
      default: true,
      bodyType: "INLINE",
    },
  ],
};
const peers = {
  "json-server": {
    name: "json-server@0.17.4",
    entry: "json-server/lib/cli/bin.js",
    args: (folder, port) => ["--quiet", "--host", "127.0.0.1", "--port", String(port), write(folder, "db.json", { transactions: [record] })],
  },
  Prism: {
    name: "@stoplight/prism-cli@5.16.0",
    entry: "@stoplight/prism-cli/dist/index.js",
    args: (folder, port) => ["mock", "-h", "127.0.0.1", "-p", String(port), write(folder, "openapi.json", openApi)],
  },
  mockoon: {
    name: "@mockoon/cli@9.9.0",
    entry: "@mockoon/cli/bin/run.js",
    args: (folder, port) => [
      "start",
      "--disable-log-to-file",
      "--data",
      write(folder, "data.json", {
        uuid: "e1",
        lastMigration: 33,
        name: "bench",
        port,
        hostname: "127.0.0.1",
        endpointPrefix: "",
        routes: [mockoonRoute],
        rootChildren: [{ type: "route", uuid: "r1" }],
        folders: [],
        headers: [],
        data: [],
        callbacks: [],
      }),
    ],
  },
};

/** One of the peers, answering a plain GET; undefined where it cannot be had. */
export const startPeer = async (name) => {
  const peer = peers[name];
  try {
    const { folder, path } = installed(peer);
    const port = await freePort();
    const started = await startServer([path, ...peer.args(folder, port)], { ready: listening(port) });
    return { ...started, path: "/transactions/TX1" };
  } catch (error) {
    return { skipped: `${peer.name} cannot be had here: ${error.message.split("\n")[0]}` };
  }
};
export const peerNames = Object.keys(peers);

import { Worker } from "node:worker_threads";

// A mutant may loop for ever, and only another thread can end it then. Ended so, it is caught.
const limitMs = 60_000;
new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${limitMs})`, { eval: true }).unref();

import { Worker } from "node:worker_threads";

// A mutant may loop for ever, and only another thread can end it then. Ended so, it is caught.
const limitMs = Number(process.env.MUTATION_LIMIT_MS);
new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${limitMs})`, { eval: true }).unref();

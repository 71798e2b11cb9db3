import { command, text, toggle, wholeNumber } from "../../command-spec.ts";

export const sandboxSpec = command("sandbox", "Run a copy of the service on this machine, with a dashboard and a phone", {
  details:
    "Runs until you press Ctrl-C, and keeps its data. Prints the base URL, the key and the webhook secret, then one line for each request and callback. Stores them in the profile `sandbox`. Other commands use it with --sandbox.",
  flags: {
    port: text("Port to listen on (default 4010); 0 picks a free port", "N", { parse: wholeNumber(0, 65_535), default: 4010 }),
    host: text("Address to listen on (default 127.0.0.1)", "HOST", { default: "127.0.0.1" }),
    data: text("Folder for its data", "DIR", { completes: "file" }),
    open: toggle("Open the dashboard in the browser, on a terminal"),
    ephemeral: toggle("Start empty, and delete everything at the end"),
    seed: text("With new data: give the same ids and the same random results each time", "N", { parse: wholeNumber(0, 4_294_967_295) }),
  },
  examples: [
    ["sandbox --open", "Start it and open its dashboard", "runs until it is stopped"],
    ["sandbox --port 0 --ephemeral --json", "For tests: a free port, nothing kept, one JSON line with the address and key", "runs until it is stopped"],
  ],
});

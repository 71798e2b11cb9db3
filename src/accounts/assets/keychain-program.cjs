/**
 * What keychain.ts asks the system's keychain with. It runs in a process of its own: a keychain that hangs in native code can only be
 * given up by ending that process. On Linux the secret service is asked and nothing else, as the kernel's keyring forgets. What was
 * written is read back, so that "stored" is true; if that fails it is removed again.
 */
const chunks = [];
process.stdin
  .on("data", (chunk) => chunks.push(chunk))
  .on("end", () => {
    const { module, service, entry, operation, secret } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    let clean = true;
    let item;
    const write = () => {
      clean = false;
      item.setPassword(secret);
      if (item.getPassword() !== secret) throw new Error("it did not keep what was written");
    };
    const undo = () => {
      try {
        item.deleteCredential();
        clean = true;
      } catch {}
    };
    const answer = (reply) => process.stdout.write(JSON.stringify(reply));
    try {
      const { Entry } = require(module);
      item = new Entry(service, entry, { linux: { store: "secret-service" } });
      if (operation === "write") write();
      else if (operation === "remove") item.deleteCredential();
      answer({ done: true, value: operation === "read" ? item.getPassword() : null });
    } catch (error) {
      if (!clean) undo();
      answer({ done: false, clean, reason: error instanceof Error ? error.message : String(error) });
    }
  });

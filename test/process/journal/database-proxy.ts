import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

/** The way to the database through a proxy that can fall silent: it then passes nothing on, and keeps every connection open. */
export const startProxy = async (folder: string) => {
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = connect(join(folder, ".s.PGSQL.5432"));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(from);
      from.on("data", (chunk) => to.write(chunk));
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  return {
    port: (proxy.address() as AddressInfo).port,
    silence: () => {
      for (const socket of sockets) socket.pause();
    },
    disconnect: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
};

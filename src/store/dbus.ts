import { createConnection, type Socket } from "node:net";
import { env, getuid } from "node:process";
import { decode, encode, field, type Message, messageLength, messageType, type Value, type Variant } from "./dbus-message.ts";

export type Target = { readonly destination: string; readonly path: string; readonly interface: string };
/** The message bus of the desktop session. Everything that waits is refused when it is closed. */
export type Bus = {
  call(target: Target, member: string, signature?: string, args?: readonly Value[]): Promise<readonly Value[]>;
  /** Listens for a signal of an object; what it returns waits for the next. */
  listen(path: string, member: string): Promise<() => Promise<readonly Value[]>>;
  close(): void;
};
const hungUp = (): Error => new Error("the message bus hung up");
/** Its answer to who we are is a line. */
const answerMax = 4096;
type Waiting = { readonly resolve: (body: readonly Value[]) => void; readonly reject: (reason: Error) => void };

/** Where the bus listens: the first address of ours, `unix:path=` or `unix:abstract=`, or the place that systemd gives it. */
const socketPath = (): string | undefined => {
  const addresses = env["DBUS_SESSION_BUS_ADDRESS"] ?? (env["XDG_RUNTIME_DIR"] === undefined ? "" : `unix:path=${env["XDG_RUNTIME_DIR"]}/bus`);
  const found = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(addresses);
  if (found?.[2] === undefined) return undefined;
  try {
    return `${found[1] === "abstract" ? "\0" : ""}${decodeURIComponent(found[2])}`;
  } catch {
    return undefined; // An escape that is none.
  }
};

/** Says who we are, by the number of the user, which the bus compares with the socket's; then messages can go. */
const logIn = async (socket: Socket): Promise<void> =>
  await new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk: Buffer): void => {
      said += chunk.toString("latin1");
      if (!said.includes("\r\n") && said.length < answerMax) return;
      socket.off("data", listen);
      if (said.startsWith("OK ")) {
        socket.write("BEGIN\r\n");
        resolve();
      } else reject(new Error("the message bus does not let this user in"));
    };
    socket.on("data", listen).once("close", () => reject(hungUp()));
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(getuid?.() ?? "")).toString("hex")}\r\n`);
  });

const connect = async (path: string, signal: AbortSignal): Promise<Socket> =>
  await new Promise((resolve, reject) => {
    const socket = createConnection({ path, signal });
    socket.once("connect", () => resolve(socket)).once("error", () => reject(new Error("the message bus of the desktop session cannot be reached")));
  });

/** Throws where there is no bus, or `signal` ends the wait for it. */
export const connectBus = async (signal: AbortSignal): Promise<Bus> => {
  const path = socketPath();
  if (path === undefined) throw new Error("there is no message bus of a desktop session");
  const socket = await connect(path, signal);
  socket.on("error", () => undefined);
  try {
    await logIn(socket);
    return await speak(socket);
  } catch (error) {
    socket.destroy(); // An open socket would keep the program running.
    throw error;
  }
};

/** Messages over a socket that is logged in. */
const speak = async (socket: Socket): Promise<Bus> => {
  const replies = new Map<number, Waiting>();
  const signals = new Map<string, Waiting>();
  const settle = ({ type, fields, body }: Message): void => {
    if (type === messageType.signal) {
      signals.get(`${String(fields.get(field.path))} ${String(fields.get(field.member))}`)?.resolve(body);
      return;
    }
    const serial = fields.get(field.replySerial);
    const waiting = typeof serial === "number" ? replies.get(serial) : undefined;
    if (type === messageType.reply) waiting?.resolve(body);
    else if (type === messageType.error) waiting?.reject(new Error(typeof body[0] === "string" ? body[0] : String(fields.get(field.errorName))));
  };
  let bytes: Buffer = Buffer.alloc(0);
  let ending = hungUp();
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    try {
      for (let length = messageLength(bytes); length !== undefined && bytes.length >= length; length = messageLength(bytes)) {
        settle(decode(bytes.subarray(0, length)));
        bytes = bytes.subarray(length);
      }
    } catch (error) {
      if (error instanceof Error) ending = error;
      socket.destroy();
    }
  });
  socket.once("close", () => {
    for (const { reject } of [...replies.values(), ...signals.values()]) reject(ending);
  });

  let serial = 0;
  const call: Bus["call"] = async (target, member, signature = "", args = []) =>
    await new Promise((resolve, reject) => {
      serial++;
      replies.set(serial, { resolve, reject });
      if (socket.destroyed) return reject(ending);
      const fields = new Map<number, Variant>([
        [field.path, { signature: "o", value: target.path }],
        [field.interface, { signature: "s", value: target.interface }],
        [field.member, { signature: "s", value: member }],
        [field.destination, { signature: "s", value: target.destination }],
      ]);
      if (signature !== "") fields.set(field.signature, { signature: "g", value: signature });
      socket.write(encode(messageType.call, serial, fields, args));
    });
  const driver: Target = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };
  await call(driver, "Hello");
  return {
    call,
    listen: async (from, member) => {
      const next = new Promise<readonly Value[]>((resolve, reject) => signals.set(`${from} ${member}`, { resolve, reject }));
      next.catch(() => undefined);
      await call(driver, "AddMatch", "s", [`type='signal',path='${from}',member='${member}'`]);
      return async () => await next;
    },
    close: () => void socket.destroy(),
  };
};

import { type Bus, connectBus, type Target } from "./dbus.ts";
import type { Value, Variant } from "./dbus-message.ts";

// The Secret Service of freedesktop.org: what GNOME Keyring, KWallet and KeePassXC answer to.
const destination = "org.freedesktop.secrets";
const at = (path: string, kind: "Service" | "Collection" | "Item" | "Prompt"): Target => ({
  destination,
  path,
  interface: `org.freedesktop.Secret.${kind}`,
});
const service = at("/org/freedesktop/secrets", "Service");
const text = (value: string): Variant => ({ signature: "s", value });
const paths = (value: Value | undefined): readonly string[] => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
/** "/" is no object. */
const path = (value: Value | undefined): string | undefined => (typeof value === "string" && value !== "/" ? value : undefined);
const attributes = (of: string, entry: string): readonly Value[] => [
  ["service", of],
  ["username", entry],
];

type Session = { readonly bus: Bus; readonly session: string };
/** `plain`: the bus is a socket of this user's, and whoever may read it may ask the service as well. */
const withSession = async <T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> => {
  const bus = await connectBus(signal);
  try {
    const [, session] = await bus.call(service, "OpenSession", "sv", ["plain", text("")]);
    return await work({ bus, session: path(session) ?? "" });
  } finally {
    bus.close();
  }
};

/** Lets the service ask its user, where it wants to. */
const answered = async (bus: Bus, prompt: string | undefined): Promise<void> => {
  if (prompt === undefined) return;
  const completed = await bus.listen(prompt, "Completed");
  await bus.call(at(prompt, "Prompt"), "Prompt", "s", [""]);
  const [isDismissed] = await completed();
  if (isDismissed !== false) throw new Error("it was not unlocked");
};
const unlock = async (bus: Bus, locked: readonly string[]): Promise<void> => {
  const [, prompt] = await bus.call(service, "Unlock", "ao", [locked]);
  await answered(bus, path(prompt));
};
const find = async (bus: Bus, of: string, entry: string): Promise<readonly string[]> => {
  const [unlocked, locked] = (await bus.call(service, "SearchItems", "a{ss}", [attributes(of, entry)])).map(paths);
  if (locked !== undefined && locked.length > 0) await unlock(bus, locked);
  return [...(unlocked ?? []), ...(locked ?? [])];
};

/** Each of these throws with the service's own words, or `signal` ends it. */
export const readSecret = async (of: string, entry: string, signal: AbortSignal): Promise<string | undefined> =>
  await withSession(signal, async ({ bus, session }) => {
    const [item] = await find(bus, of, entry);
    if (item === undefined) return undefined;
    const [secret] = await bus.call(at(item, "Item"), "GetSecret", "o", [session]);
    const value: Value | undefined = Array.isArray(secret) ? secret[2] : undefined;
    return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
  });

/** An entry of the same name is replaced. */
export const writeSecret = async (of: string, entry: string, secret: string, signal: AbortSignal): Promise<void> =>
  await withSession(signal, async ({ bus, session }) => {
    const [alias] = await bus.call(service, "ReadAlias", "s", ["default"]);
    const collection = path(alias);
    if (collection === undefined) throw new Error("it has no default collection");
    await unlock(bus, [collection]);
    const properties: readonly Value[] = [
      ["org.freedesktop.Secret.Item.Label", text(`${of}: ${entry}`)],
      ["org.freedesktop.Secret.Item.Attributes", { signature: "a{ss}", value: attributes(of, entry) }],
    ];
    const sealed: readonly Value[] = [session, Buffer.alloc(0), Buffer.from(secret), "text/plain"];
    const [, prompt] = await bus.call(at(collection, "Collection"), "CreateItem", "a{sv}(oayays)b", [properties, sealed, true]);
    await answered(bus, path(prompt));
  });

export const removeSecret = async (of: string, entry: string, signal: AbortSignal): Promise<void> =>
  await withSession(signal, async ({ bus }) => {
    for (const item of await find(bus, of, entry)) {
      const [prompt] = await bus.call(at(item, "Item"), "Delete");
      await answered(bus, path(prompt));
    }
  });

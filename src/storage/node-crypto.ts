/**
 * Node's crypto, loaded when first needed: at import it would cost every command some milliseconds, and a plain read needs
 * none of it.
 */
export const nodeCrypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

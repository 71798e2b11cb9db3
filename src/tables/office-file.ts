import { usageError } from "../errors.ts";

/** The directory of an Office container has names in UTF-16. */
const encryptedName = Buffer.from("EncryptedPackage", "utf16le");

/** Refuses a file of an old Office program, or a newer one under a password. Throws CliError usage. */
export const refuseOfficeFile = (bytes: Uint8Array, name: string): never => {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(encryptedName))
    throw usageError(`${name} is protected by a password: open it with the password, and save a copy without one or as CSV.`);
  throw usageError(`${name} is a file of an old Office program (.xls, .doc), which is not read.`, "save it as .xlsx or CSV");
};

/** The code that Node and the operating system give an error (`ENOENT`, `ECONNRESET`); undefined if it has none. */
export const errorCode = (error: unknown): string | undefined => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  // Several addresses were tried: they failed alike, or the first one says why.
  return error instanceof AggregateError && error.errors.length > 0 ? errorCode(error.errors[0]) : undefined;
};

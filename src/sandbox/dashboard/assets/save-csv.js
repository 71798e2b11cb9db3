/** What a spreadsheet would run as a formula is text, and quotes are doubled. */
const cell = (value) => {
  const text = String(value ?? "");
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

export const csvOf = (columns, rows) => [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) => `${cells.map(cell).join(",")}\n`).join("");

export const saveFile = (name, blob) => {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/** Hands the rows to the person as a file, with these fields as its columns. */
export const saveCsv = (name, columns, rows) => saveFile(name, new Blob([csvOf(columns, rows)], { type: "text/csv" }));

/** What a column can mean. `reference=Order` of `--columns` names one of these. */
export const fieldNames = [
  "reference",
  "amount",
  "status",
  "date",
  "id",
  "currency",
  "receipt",
  "paid-in",
  "withdrawn",
  "details",
  "type",
  "account",
  "linked",
] as const;
export type FieldName = (typeof fieldNames)[number];
export type Columns = Readonly<Partial<Record<FieldName, number>>>;

/** Letters and digits alone, in lower case: `A/C No.` is `acno`. */
export const plainHeading = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

// The first name that a header has wins. cases/README.md names those of orders; the rest is what shops and portals export.
const orderNames: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  reference: [
    "reference",
    "invoice",
    "ref",
    "invoiceno",
    "invoicenumber",
    "invoiceid",
    "merchantreference",
    "orderreference",
    "paymentreference",
    "accountreference",
  ],
  amount: ["amount", "total", "amountkes", "totalkes", "totalamount", "ordertotal", "grandtotal", "invoicetotal", "amountdue"],
  status: ["paymentstatus", "status", "financialstatus", "state", "orderstatus"],
  date: ["date", "createdat", "created", "orderdate", "datecreated", "invoicedate", "paidat", "time", "timestamp"],
  id: ["orderid", "orderno", "ordernumber", "id"],
  currency: ["currency", "currencycode"],
  receipt: ["receipt", "receiptno", "receiptnumber", "mpesareceipt", "mpesareceiptnumber", "mpesacode", "mobilemoneyreceipt"],
};
const statementNames: Readonly<Partial<Record<FieldName, readonly string[]>>> = {
  receipt: ["receiptno", "receipt", "receiptnumber", "transid", "transactionid", "mpesareceiptnumber", "mpesareceipt"],
  date: ["completiontime", "completiondate", "transactiondate", "transtime", "date", "time", "initiationtime"],
  details: ["details", "description", "narration", "particulars"],
  status: ["transactionstatus", "status"],
  "paid-in": ["paidin", "moneyin", "credit", "creditamount"],
  withdrawn: ["withdrawn", "withdrawal", "withdrawals", "paidout", "moneyout", "debit", "debitamount"],
  amount: ["amount", "transactionamount", "transamount"],
  type: ["reasontype", "transactiontype", "type"],
  linked: ["linkedtransactionid", "linkedtransaction", "originaltransactionid"],
  account: ["acno", "accountno", "accountnumber", "account", "billrefnumber", "billreference", "accountreference", "reference"],
  currency: ["currency"],
};

export type FileKind = "orders" | "statement";
export const namesOf = (kind: FileKind): Readonly<Partial<Record<FieldName, readonly string[]>>> => (kind === "orders" ? orderNames : statementNames);

/** The columns that a header row names, by our lists and by what the user told (`told`: field to heading). */
export const findColumns = (header: readonly string[], kind: FileKind, told: ReadonlyMap<FieldName, string>): Columns => {
  const headings = header.map(plainHeading);
  const columns: Partial<Record<FieldName, number>> = {};
  for (const field of fieldNames) {
    const heading = told.get(field);
    if (heading !== undefined) {
      const exact = header.findIndex((cell) => cell.trim() === heading.trim());
      const index = exact >= 0 ? exact : headings.indexOf(plainHeading(heading));
      if (index >= 0) columns[field] = index;
      continue;
    }
    for (const name of namesOf(kind)[field] ?? []) {
      const index = headings.indexOf(name);
      if (index < 0 || isTold(header, headings, told, index)) continue;
      columns[field] = index;
      break;
    }
  }
  return columns;
};

/** A column that the user gave to one field is not guessed for another. */
const isTold = (header: readonly string[], headings: readonly string[], told: ReadonlyMap<FieldName, string>, index: number): boolean =>
  [...told.values()].some((heading) => header[index]?.trim() === heading.trim() || headings[index] === plainHeading(heading));

/** The fields a file of this kind can't do without that these columns lack, in words. */
export const lackingFields = (columns: Columns, kind: FileKind): readonly string[] => {
  const lacking: string[] = [];
  if (kind === "orders") {
    if (columns.reference === undefined && columns.receipt === undefined) lacking.push("reference");
    if (columns.amount === undefined) lacking.push("amount");
    return lacking;
  }
  if (columns.receipt === undefined) lacking.push("receipt");
  if (columns["paid-in"] === undefined && columns.amount === undefined) lacking.push("paid-in (or amount)");
  return lacking;
};

import { type Held, payment, payout } from "../../support/transactions-service.ts";

/** One use of `tx reconcile` with the right answer known beforehand. Its runs share a home. */
export type Situation = { readonly name: string; readonly runs: readonly SituationRun[] };
export type SituationRun = {
  /** By name, as lines. The first is FILE, the second is what --against names. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly service?: readonly Held[];
  readonly flags?: readonly string[];
  /** `count` of each category in the summary. */
  readonly counts: Readonly<Record<string, number>>;
  /** The rows that differ: category, reference, lines here / ids or lines there. A carried row has its day behind its line. */
  readonly rows?: readonly string[];
  /** What the reason or a suggestion of a row says. */
  readonly says?: Readonly<Record<string, RegExp>>;
  /** References of the rows that are still carried from earlier files. */
  readonly carried?: readonly string[];
};

/** A situation of one run. */
const once = (name: string, run: SituationRun): Situation => ({ name, runs: [run] });

type More = Readonly<Record<string, unknown>>;
const failed = { status: "FAILED" };
const open = { status: "SENT" };
const details = (receipt: string | undefined, completedAt?: string): More => ({
  metadata: { ...(receipt === undefined ? {} : { mobileMoneyReceipt: receipt }), ...(completedAt === undefined ? {} : { completedAt }) },
});
const paidOn = (day: string, time = "12:00:00"): More => details(undefined, `${day}T${time}+03:00`);

const plain = "reference,amount,status";
const datedOrders = "reference,amount,status,date";
const portal =
  "Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.";
/** A line of the provider's statement. `amount` is signed. */
const line = (receipt: string, time: string, amount: number, balance: number, reference: string, type = "Pay Bill Online", linked = ""): string => {
  const cell = amount < 0 ? `,${amount.toFixed(2)}` : `${amount.toFixed(2)},`;
  return `${receipt},${time},${time},${type} ${reference},Completed,${cell},${balance.toFixed(2)},true,${type},2547***001 - CUSTOMER,${linked},${reference}`;
};

const single: readonly Situation[] = [
  once("orders of every state beside payments of every state", {
    files: {
      "orders.csv": [plain, "S-1,100,paid", "S-2,200,pending", "S-3,300,paid", "S-4,400,paid", "S-5,500,failed", "S-6,600,cancelled", "S-7,700,paid"],
    },
    service: [
      payment("t1", "S-1", 100),
      payment("t2", "S-2", 200, { status: "success" }),
      payment("t3", "S-3", 300, failed),
      payment("t4", "S-4", 400, { status: "ON_HOLD" }),
      payment("t5", "S-5", 500, { status: "Declined" }),
      payment("t7", "S-8", 80),
      payment("t8", "S-9", 90, failed),
      payment("t9", "S-10", 95, { status: "QUEUED" }),
    ],
    counts: { matched: 2, missed_callback: 1, status_conflict: 1, missing_there: 1, missing_here: 1, open_there: 2, ignored: 2 },
    rows: [
      "missed_callback S-2: 3 / t2",
      "status_conflict S-3: 4 / t3",
      "missing_there S-7: 8 / ",
      "missing_here S-8:  / t7",
      "open_there S-4: 5 / t4",
      "open_there S-10:  / t9",
    ],
  }),
  once("a payout list with positive amounts, --flow b2c", {
    files: { "payouts.csv": ["phone,amount,reference", "0712345001,1000,PO-1", "0712345002,2000,PO-2", "0712345003,3000,PO-3", "0712345004,4000,PO-4"] },
    flags: ["--flow", "b2c"],
    service: [
      payout("t1", "PO-1", 1000),
      payout("t2", "PO-2", 2000),
      payout("t3", "PO-3", 3000, failed),
      payout("t5", "PO-5", 50),
      payment("t6", "INV-1", 1000),
    ],
    counts: { matched: 2, status_conflict: 1, missing_there: 1, missing_here: 1 },
    rows: ["status_conflict PO-3: 4 / t3", "missing_there PO-4: 5 / ", "missing_here PO-5:  / t5"],
  }),
  once("orders beside payouts and payments, --flow standard", {
    files: { "orders.csv": [plain, "INV-1,100,paid", "INV-2,200,paid"] },
    flags: ["--flow", "standard"],
    service: [payment("t1", "INV-1", 100), payment("t2", "INV-2", 200), payout("t3", "PO-1", 500)],
    counts: { matched: 2 },
  }),
  once("an order whose reference is a payout's there", {
    files: { "orders.csv": [plain, "R-1,100,paid", "R-2,200,paid", "R-3,300,paid"] },
    service: [payout("t1", "R-1", 100), payment("t2", "R-2", 200), payment("t3", "R-3", 300)],
    counts: { matched: 2, missing_there: 1, missing_here: 1 },
    rows: ["missing_there R-1: 2 / ", "missing_here R-1:  / t1"],
    says: { "missing_there R-1": /payout/ },
  }),
  once("an order paid in two parts that add up", {
    files: { "orders.csv": [plain, "BIG-1,300000,paid", "BIG-2,10,paid"] },
    service: [payment("t1", "BIG-1", 150000, details("UC1A0000A1")), payment("t2", "BIG-1", 150000, details("UC1A0000A2")), payment("t3", "BIG-2", 10)],
    counts: { matched: 1, amount_mismatch: 1, duplicate_there: 1 },
    says: { "amount_mismatch BIG-1": /together .*300,000/, "duplicate_there BIG-1": /together .*300,000/ },
  }),
  once("two parts that do not add up", {
    files: { "orders.csv": [plain, "BIG-1,300000,paid"] },
    service: [payment("t1", "BIG-1", 150000), payment("t2", "BIG-1", 140000)],
    counts: { amount_mismatch: 1, duplicate_there: 1 },
    says: { "amount_mismatch BIG-1": /^(?!.*together)/, "duplicate_there BIG-1": /^(?!.*together)/ },
  }),
  once("an order paid in three parts, and one of them again", {
    files: { "orders.csv": [plain, "BIG-1,300,paid"] },
    service: [payment("t1", "BIG-1", 90), payment("t2", "BIG-1", 100), payment("t3", "BIG-1", 110), payment("t4", "BIG-1", 100)],
    counts: { amount_mismatch: 1, duplicate_there: 3 },
    says: { "amount_mismatch BIG-1": /together .*300/ },
  }),
  once("paid and reversed there", {
    files: { "orders.csv": [plain, "V-1,100,paid", "V-2,200,cancelled", "V-3,300,pending"] },
    service: [
      payment("t1", "V-1", 100, { status: "REVERSED" }),
      payment("t2", "V-2", 200, { status: "REVERSED" }),
      payment("t3", "V-3", 300, { status: "REVERSED" }),
      payment("t4", "V-4", 400, { status: "REVERSED" }),
    ],
    counts: { matched: 1, status_conflict: 2, ignored: 1 },
    rows: ["status_conflict V-1: 2 / t1", "status_conflict V-3: 4 / t3"],
  }),
  once("a statement with a reversal, its receipt in other letters", {
    files: {
      "orders.csv": [plain, "V-1,500,paid", "V-2,700,paid"],
      "statement.csv": [
        portal,
        line("UC1A0000A3", "02-03-2026 11:00:00", -500, 700, "V-1", "Reversal", "uc1a0000a1"),
        line("UC1A0000A2", "02-03-2026 10:00:00", 700, 1200, "V-2"),
        line("UC1A0000A1", "02-03-2026 09:00:00", 500, 500, "V-1"),
      ],
    },
    counts: { matched: 1, status_conflict: 1 },
    rows: ["status_conflict V-1: 2 / 4,2"],
  }),
  once("an order paid twice, one listed twice, and one listed and paid twice", {
    files: { "orders.csv": [plain, "D-1,100,paid", "D-2,200,paid", "D-2,200,paid", "D-3,300,paid", "D-3,300,paid"] },
    service: [
      payment("t1", "D-1", 100, details("UC1A0000A1")),
      payment("t2", "D-1", 100, details("UC1A0000A2")),
      payment("t3", "D-2", 200),
      payment("t4", "D-3", 300),
      payment("t5", "D-3", 300),
    ],
    counts: { matched: 4, duplicate_here: 1, duplicate_there: 1 },
    says: { "duplicate_there D-1": /second time/ },
  }),
  once("a first try that failed, then a payment", {
    files: { "orders.csv": [plain, "F-1,100,paid", "F-2,200,pending"] },
    service: [payment("t1", "F-1", 100, failed), payment("t2", "F-1", 100), payment("t3", "F-2", 200), payment("t4", "F-2", 200, failed)],
    counts: { matched: 1, missed_callback: 1, ignored: 2 },
    rows: ["missed_callback F-2: 3 / t3"],
  }),
  once("amounts that are off by a cent, by a swapped digit and by a hundred times", {
    files: { "orders.csv": [plain, "M-1,100.01,paid", "M-2,1540,paid", "M-3,25000,pending", "M-4,70,failed"] },
    service: [payment("t1", "M-1", 100), payment("t2", "M-2", 1450), payment("t3", "M-3", 250), payment("t4", "M-4", 71)],
    counts: { amount_mismatch: 4 },
    rows: ["amount_mismatch M-1: 2 / t1", "amount_mismatch M-2: 3 / t2", "amount_mismatch M-3: 4 / t3", "amount_mismatch M-4: 5 / t4"],
  }),
  once("references with leading zeros, other letters and spaces, and a cut end", {
    files: { "orders.csv": [plain, "0042,100,paid", "42,200,paid", "inv 7,300,paid", "KILIMO-EAST-2026,400,paid"] },
    service: [payment("t1", "42", 200), payment("t2", "INV-7", 300), payment("t3", "KILIMO-EAST-", 400), payment("t4", "042", 100)],
    counts: { matched: 3, missing_there: 1, missing_here: 1 },
    rows: ["missing_there 0042: 2 / ", "missing_here 042:  / t4"],
  }),
  once("one loose reference for two payments", {
    files: { "orders.csv": [plain, "inv7,300,paid", "inv8,800,paid"] },
    service: [payment("t1", "INV-7", 300), payment("t2", "INV 7", 300), payment("t3", "INV-8", 801), payment("t4", "INV 8", 800)],
    counts: { matched: 1, ambiguous: 1, missing_here: 1 },
    rows: ["missing_here INV-8:  / t3", "ambiguous inv7: 2 / t2,t1"],
  }),
  once("an order without a reference", {
    files: { "orders.csv": [plain, ",300,paid", "A-1,100,paid", ",999,paid"] },
    service: [payment("t1", "A-1", 100), payment("t2", "POS-1", 300), payment("t3", "POS-2", 300)],
    counts: { matched: 1, missing_there: 1, ambiguous: 1 },
    rows: ["missing_there -: 4 / ", "ambiguous POS-1: 2 / t2,t3"],
  }),
  once("receipts in other letters and with spaces, and cells that are no receipt", {
    files: {
      "orders.csv": [
        "reference,receipt,amount,status",
        "A-1,uc1a0000a1,100,paid",
        "A-2,UC1A 0000 A2,200,paid",
        "A-3,N/A,300,paid",
        "A-4,-,400,paid",
        "typo,UC1A0000A5,500,paid",
        "A-6,UC1A0000X6,600,paid",
      ],
    },
    service: [
      payment("t1", "A-1", 100, details("UC1A0000A1")),
      payment("t2", "other", 200, details("uc1a0000a2")),
      payment("t3", "A-3", 300, details("UC1A0000A3")),
      payment("t4", "A-4", 400, details(undefined)),
      payment("t5", "A-5", 500, details("UC1A0000A5")),
      payment("t6", "A-6", 600, details("UC1A0000A6")),
    ],
    counts: { matched: 5, missing_there: 1, missing_here: 1 },
    rows: ["missing_there A-6: 7 / ", "missing_here A-6:  / t6"],
  }),
  once("a provider's statement with charges, a settlement and a row that comes twice", {
    files: {
      "statement.csv": [
        portal,
        line("UC1A0000A4", "02-03-2026 12:00:00", -500, 475, "", "Organization Settlement"),
        line("UC1A0000A3", "02-03-2026 11:00:00", -25, 975, "PO-1", "Business Payment to Customer Charge"),
        line("UC1A0000A3", "02-03-2026 11:00:00", -1000, 1000, "PO-1", "Business Payment to Customer via API"),
        line("UC1A0000A2", "02-03-2026 10:00:00", 1200, 2000, "INV-2"),
        line("UC1A0000A2", "02-03-2026 10:00:00", 1200, 2000, "INV-2"),
        line("UC1A0000A1", "02-03-2026 09:00:00", 800, 800, "INV-1"),
      ],
    },
    service: [
      payment("t1", "INV-1", 800, details("UC1A0000A1", "2026-03-02T09:00:00+03:00")),
      payment("t2", "INV-2", 1200, details("UC1A0000A2", "2026-03-02T10:00:00+03:00")),
      payout("t3", "PO-1", 1000, details("UC1A0000A3", "2026-03-02T11:00:00+03:00")),
    ],
    counts: { matched: 3, ignored: 2, duplicate_here: 1 },
    rows: ["duplicate_here INV-2: 6 / "],
  }),
  once("the same statement beside orders: its payouts are no customer's", {
    files: {
      "orders.csv": [datedOrders, "INV-1,800,pending,2026-03-02", "INV-2,1200,paid,2026-03-02"],
      "statement.csv": [
        portal,
        line("UC1A0000A3", "02-03-2026 11:00:00", -25, 975, "PO-1", "Business Payment to Customer Charge"),
        line("UC1A0000A3", "02-03-2026 11:00:00", -1000, 1000, "PO-1", "Business Payment to Customer via API"),
        line("UC1A0000A2", "02-03-2026 10:00:00", 1200, 2000, "INV-2"),
        line("UC1A0000A1", "02-03-2026 09:00:00", 800, 800, "INV-1"),
      ],
    },
    counts: { matched: 1, missed_callback: 1, missing_here: 1, ignored: 1 },
    rows: ["missed_callback INV-1: 2 / 5", "missing_here PO-1:  / 3"],
    says: { "missing_here PO-1": /paid out/ },
  }),
  once("two currencies on each side", {
    files: {
      "orders.csv": ["reference,amount,currency,status", "X-1,100,KES,paid", "X-2,100,KES,paid", "X-3,50,USD,paid", "X-4,70,USD,paid"],
      "gateway.csv": [
        "Reference,Amount,Currency,Status,Date",
        "X-1,100,KES,successful,2026-03-02 09:00:00",
        "X-2,100,USD,successful,2026-03-02 09:05:00",
        "X-3,50,USD,successful,2026-03-02 09:10:00",
        "X-4,70,KES,successful,2026-03-02 09:15:00",
      ],
    },
    flags: ["--against-as", "statement"],
    counts: { matched: 2, amount_mismatch: 2 },
    rows: ["amount_mismatch X-2: 3 / 3", "amount_mismatch X-4: 5 / 5"],
    says: { "amount_mismatch X-2": /KES.*USD/ },
  }),
  once("orders in dollars beside the service, which holds shillings", {
    files: { "orders.csv": ["reference,amount,currency,status", "X-1,100,KES,paid", "X-2,100,USD,paid"] },
    service: [payment("t1", "X-1", 100), payment("t2", "X-2", 100)],
    counts: { matched: 1, unreadable: 1, missing_here: 1 },
    rows: ["missing_here X-2:  / t2", "unreadable X-2: 3 / "],
  }),
  once("a payment that the customer made under a wrong reference", {
    files: {
      "orders.csv": ["reference,amount,status,phone,date", "INV-1,800,pending,0712345001,2026-03-02", "INV-2,900,paid,0712345002,2026-03-02"],
    },
    service: [
      payment("t1", "wrong", 800, { metadata: { phoneNumber: "254712345001", completedAt: "2026-03-02T12:00:00+03:00" } }),
      payment("t2", "INV-2", 900, { metadata: { completedAt: "2026-03-02T12:00:00+03:00" } }),
    ],
    counts: { matched: 1, missing_there: 1, missing_here: 1 },
    rows: ["missing_there INV-1: 2 / ", "missing_here wrong:  / t1"],
    says: { "missing_there INV-1": /same amount and phone/ },
  }),
  once("one bank deposit for the day's orders less fees", {
    files: {
      "orders.csv": [datedOrders, "G-1,1000,paid,2026-03-02", "G-2,2000,paid,2026-03-02", "G-3,3000,paid,2026-03-02"],
      "bank.csv": [
        "Date,Reference,Description,Debit,Credit,Balance",
        "03/03/2026,FT260620771,GATEWAY PAYOUT,,5820.00,15820.00",
        "03/03/2026,FT260620772,RENT OFFICE,4000.00,,11820.00",
      ],
    },
    flags: ["--against-as", "statement"],
    counts: { missing_there: 3, other_period: 2 },
    says: { "missing_there G-1": /5,820.00, and 180.00 of fees/, "missing_there G-3": /of fees/ },
  }),
];

const monday = "2026-03-02";
const tuesday = "2026-03-03";
const mondays = [payment("t1", "D-1", 100, paidOn(monday)), payment("t2", "D-2", 200, paidOn(monday))];
const tuesdays = [payment("t3", "D-3", 300, paidOn(tuesday)), payment("t4", "D-4", 400, paidOn(tuesday))];

const overDays: readonly Situation[] = [
  {
    name: "two days, each with its own file, and the first again",
    runs: [
      {
        files: { "monday.csv": [datedOrders, `D-1,100,paid,${monday}`, `D-2,200,paid,${monday}`] },
        service: mondays,
        counts: { matched: 2 },
      },
      {
        files: { "tuesday.csv": [datedOrders, `D-3,300,paid,${tuesday}`, `D-4,400,paid,${tuesday}`] },
        service: [...mondays, ...tuesdays],
        counts: { matched: 2, other_period: 2 },
      },
      {
        files: { "monday.csv": [datedOrders, `D-1,100,paid,${monday}`, `D-2,200,paid,${monday}`] },
        service: [...mondays, ...tuesdays],
        counts: { matched: 2, other_period: 2 },
      },
    ],
  },
  {
    name: "an open order of Monday is paid on Tuesday, and one stays missing",
    runs: [
      {
        files: { "monday.csv": [datedOrders, `D-1,100,paid,${monday}`, `D-2,200,pending,${monday}`, `LOST,50,paid,${monday}`] },
        service: [payment("t1", "D-1", 100, paidOn(monday)), payment("t2", "D-2", 200, open)],
        counts: { matched: 1, open_there: 1, missing_there: 1 },
        rows: ["missing_there LOST: 4 / ", "open_there D-2: 3 / t2"],
      },
      {
        files: { "tuesday.csv": [datedOrders, `D-3,300,paid,${tuesday}`] },
        service: [payment("t1", "D-1", 100, paidOn(monday)), payment("t2", "D-2", 200, paidOn(tuesday)), payment("t3", "D-3", 300, paidOn(tuesday))],
        counts: { matched: 1, missed_callback: 1, other_period: 1 },
        rows: [`missed_callback D-2: 3@${monday} / t2`],
        carried: ["LOST"],
      },
      {
        files: { "wednesday.csv": [datedOrders, "D-5,500,paid,2026-03-04"] },
        service: [...mondays, payment("t5", "D-5", 500, paidOn("2026-03-04")), payment("t6", "LOST", 50, paidOn("2026-03-04"))],
        counts: { matched: 2, other_period: 2 },
      },
    ],
  },
  {
    name: "Tuesday's file has Monday's open order again",
    runs: [
      {
        files: { "monday.csv": [datedOrders, `D-2,200,pending,${monday}`] },
        service: [payment("t2", "D-2", 200, open)],
        counts: { open_there: 1 },
        rows: ["open_there D-2: 2 / t2"],
      },
      {
        files: { "tuesday.csv": [datedOrders, `D-2,200,pending,${monday}`, `D-3,300,paid,${tuesday}`] },
        service: [payment("t2", "D-2", 200, paidOn(monday)), payment("t3", "D-3", 300, paidOn(tuesday))],
        counts: { matched: 1, missed_callback: 1 },
        rows: ["missed_callback D-2: 2 / t2"],
      },
    ],
  },
  {
    name: "--forget: what Monday's run paired is missing again, and what it left open is gone",
    runs: [
      {
        files: { "monday.csv": [plain, "D-1,100,paid", "LOST,50,paid"] },
        service: [payment("t1", "D-1", 100)],
        counts: { matched: 1, missing_there: 1 },
        rows: ["missing_there LOST: 3 / "],
      },
      {
        files: { "tuesday.csv": [plain, "D-3,300,paid"] },
        service: [payment("t1", "D-1", 100), payment("t3", "D-3", 300)],
        counts: { matched: 1, other_period: 1 },
        carried: ["LOST"],
      },
      {
        files: { "tuesday.csv": [plain, "D-3,300,paid"] },
        service: [payment("t1", "D-1", 100), payment("t3", "D-3", 300)],
        flags: ["--forget"],
        counts: { matched: 1, missing_here: 1 },
        rows: ["missing_here D-1:  / t1"],
      },
    ],
  },
  once("--period for a file without dates, and its edges in Nairobi", {
    files: { "orders.csv": [plain, "D-1,100,paid", "D-2,200,paid"] },
    flags: ["--period", `${monday}..${tuesday}`],
    service: [
      payment("t1", "D-1", 100, paidOn(monday, "00:00:00")),
      payment("t2", "D-2", 200, paidOn(tuesday, "23:59:59")),
      payment("t3", "D-3", 300, paidOn("2026-03-01", "23:59:59")),
      payment("t4", "D-4", 400, paidOn("2026-03-04", "00:00:00")),
      payment("t5", "D-5", 500, paidOn(tuesday, "23:59:59")),
      payment("t6", "D-6", 600, { ...failed, ...paidOn(monday) }),
    ],
    counts: { matched: 2, missing_here: 1, ignored: 1, other_period: 2 },
    rows: ["missing_here D-5:  / t5"],
  }),
  {
    name: "the same rent every month, each month its own file",
    runs: [
      {
        files: { "february.csv": [datedOrders, "RENT-4B,2500,paid,2026-02-01"] },
        service: [payment("t1", "RENT-4B", 2500, paidOn("2026-02-01"))],
        counts: { matched: 1 },
      },
      {
        files: { "march.csv": [datedOrders, "RENT-4B,2500,pending,2026-03-01"] },
        service: [payment("t1", "RENT-4B", 2500, paidOn("2026-02-01"))],
        counts: { missing_there: 1, other_period: 1 },
        rows: ["missing_there RENT-4B: 2 / "],
      },
      {
        files: { "march.csv": [datedOrders, "RENT-4B,2500,pending,2026-03-01"] },
        service: [payment("t1", "RENT-4B", 2500, paidOn("2026-02-01")), payment("t2", "RENT-4B", 2500, paidOn("2026-03-02"))],
        counts: { missed_callback: 1, other_period: 1 },
        rows: ["missed_callback RENT-4B: 2 / t2"],
      },
    ],
  },
  {
    name: "February's rent stays open beside March's order of the same reference",
    runs: [
      {
        files: { "february.csv": [datedOrders, "RENT-4B,2500,pending,2026-02-01"] },
        service: [payment("t0", "RENT-1A", 1, paidOn("2026-02-01"))],
        counts: { missing_there: 1, missing_here: 1 },
      },
      {
        files: { "march.csv": [datedOrders, "RENT-4B,2500,pending,2026-03-01"] },
        service: [payment("t0", "RENT-1A", 1, paidOn("2026-02-01")), payment("t1", "RENT-4B", 2500, paidOn("2026-03-02"))],
        counts: { missed_callback: 1, missing_there: 1, other_period: 1 },
        rows: ["missed_callback RENT-4B: 2@2026-02-01 / t1", "missing_there RENT-4B: 2 / "],
      },
      {
        files: { "april.csv": [datedOrders, "RENT-1A,1,paid,2026-04-01"] },
        service: [payment("t2", "RENT-1A", 1, paidOn("2026-04-01")), payment("t1", "RENT-4B", 2500, paidOn("2026-03-02"))],
        counts: { matched: 1, other_period: 1 },
        carried: ["RENT-4B"],
      },
    ],
  },
  {
    name: "receipts that Monday's file left open come again in small letters",
    runs: [
      {
        files: { "monday.csv": ["reference,receipt,amount,status,date", `D-1,UC1A0000A1,100,paid,${monday}`] },
        service: [],
        counts: { missing_there: 1 },
        rows: ["missing_there D-1: 2 / "],
      },
      {
        files: { "tuesday.csv": ["reference,receipt,amount,status,date", `D-1,uc1a0000a1,100,paid,${monday}`, `D-2,UC1A0000A2,200,paid,${tuesday}`] },
        service: [payment("t1", "D-1", 100, details("UC1A0000A1")), payment("t2", "D-2", 200, details("UC1A0000A2"))],
        counts: { matched: 2 },
      },
    ],
  },
  once("a statement of Tuesday beside the service: Monday's payments are of other days", {
    files: {
      "statement.csv": [portal, line("UC2A0000A4", "03-03-2026 12:00:00", 400, 700, "D-4"), line("UC2A0000A3", "03-03-2026 00:05:00", 300, 300, "D-3")],
    },
    service: [
      payment("t2", "D-2", 200, details("UC1A0000A2", "2026-03-02T23:55:00+03:00")),
      payment("t3", "D-3", 300, details("UC2A0000A3", "2026-03-03T00:05:00+03:00")),
      payment("t4", "D-4", 400, details("UC2A0000A4", "2026-03-03T12:00:00+03:00")),
      payment("t5", "D-5", 500, details("UC3A0000A5", "2026-03-04T00:01:00+03:00")),
    ],
    counts: { matched: 2, other_period: 2 },
  }),
  {
    name: "a payout list of several days, with a payout that failed and was paid again the next day",
    runs: [
      {
        files: { "monday.csv": ["phone,amount,reference,date", `0712345001,1000,PO-1,${monday}`, `0712345002,2000,PO-2,${monday}`] },
        flags: ["--flow", "b2c"],
        service: [payout("t1", "PO-1", 1000, paidOn(monday)), payout("t2", "PO-2", 2000, failed)],
        counts: { matched: 1, status_conflict: 1 },
        rows: ["status_conflict PO-2: 3 / t2"],
      },
      {
        files: { "tuesday.csv": ["phone,amount,reference,date", `0712345002,2000,PO-2,${tuesday}`, `0712345003,3000,PO-3,${tuesday}`] },
        flags: ["--flow", "b2c"],
        service: [
          payout("t1", "PO-1", 1000, paidOn(monday)),
          payout("t2", "PO-2", 2000, failed),
          payout("t3", "PO-2", 2000, paidOn(tuesday)),
          payout("t4", "PO-3", 3000, paidOn(tuesday)),
        ],
        counts: { matched: 2, ignored: 1, other_period: 1 },
      },
    ],
  },
];

export const situations: readonly Situation[] = [...single, ...overDays];

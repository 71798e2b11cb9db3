import type { FieldName, FileKind } from "./columns.ts";
import { currencyOfWord, isWordToo } from "./currency-words.ts";

/** Words of a heading in small letters: `payment_metadata[order_id]`, `CompanyRef` and `Debit (KES)` become `payment metadata order id`, `company ref` and `debit`. */
export const headingWords = (heading: string): string =>
  heading
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(?<=\p{L}{2})\.(?=\p{L}{2})/gu, " ")
    .replace(/\(\s*(\p{L}{3})\s*\)/gu, (whole, word: string) => (currencyOfWord(word) === undefined ? whole : " "))
    .toLowerCase()
    .replace(/[''’.]/gu, "")
    .replace(/[^\p{L}\p{N}#?]+/gu, " ")
    .replace(/(?<=\p{L})#/gu, " #")
    .replace(/\b(?:kes|kshs?|ksh|ugx|tzs|rwf|ngn|ghs|usd|zar|eur|(?<!\b(?:paid|money|cash|pay) )in kes)\b/gu, " ")
    .replace(/(?<!\p{L})(?:number|num|nr|nummer|n[uú]m[eé]ro)(?!\p{L})/gu, "no")
    .replace(/\b(?:mpesa|m pesa)\b/gu, "mpesa")
    .replace(/\b(?:a c|acc|acct)\b/gu, "account")
    .replace(/\b(?:trans|txn|trx|tran|trn|tx)(?:\b|(?=(?:id|time|date|amount|type)\b))/gu, "transaction ")
    .replace(/\b(?:amt)\b/gu, "amount")
    .replace(/\s+/gu, " ")
    .trim();

/** `Amount (USD)`: words that are a currency's code too are left out. */
export const currencyOfHeadings = (headings: readonly string[]): string | undefined => {
  const words = headings.flatMap((heading) => heading.split(/[^\p{L}]+/u)).filter((word) => word.length > 2 && !isWordToo(word));
  return words.map(currencyOfWord).find((code) => code !== undefined && code !== "");
};

type Vocabulary = Readonly<Partial<Record<FieldName, readonly RegExp[]>>>;

const balance = [
  /^(?:running |book |ledger |account |closing |available |current |actual )?(?:balance|bal|saldo|solde|salio|kontostand)$/,
  /^(?:(?:balance|bal|solde|saldo) (?:after|apr[eè]s|despu[eé]s|final|nach?)\b|after (?:balance|bal)$|nieuw saldo$)/,
  /^(?!.*\b(?:previous|prev|opening|initial|prior|pre|old|before)\b).*\b(?:balance|bal)$/,
];
/** What the balance was before a row: with it, money in looks like money out, and the last row like the first. */
export const isEarlierBalance = (heading: string): boolean =>
  /^(?=.*\b(?:balance|bal|solde|saldo|salio)\b).*\b(?:previous|prev|opening|initial|prior|pre|old|before|avant|anterior|inicial|vorher|antes)\b/u.test(
    headingWords(heading),
  );
const currency = [
  /^(?:(?:transaction|payment|order|account|invoice) )?(?:currency|ccy)(?: iso)?(?: code)?$/,
  /^(?:curr|w[aä]hrung|devise|cur|sarafu|valuta|munt|moneda|moeda)$/,
  /^(?!.*\bfees?\b).*\bcurrency$/,
];
const receiptStrong = [
  /^(?:mpesa|mobile money|momo|transaction|payment)? ?receipt(?: no| id| code| ref)?$/,
  /^mpesa (?:receipt )?(?:code|ref|reference|no|id|transaction id|transaction code|transaction no|confirmation code)$/,
  /^(?:mpesa )?confirmation(?: code| no)?$/,
  /^mobile money (?:receipt|code|ref|reference)$/,
  /^namba ya risiti$/,
];
const receiptWeak = [
  /^transaction(?: id| no| code| ref| ref no| reference| reference no)?$/,
  /^(?:mno|telco|operator|network|provider|processor|gateway|bank|financial institution|financial transaction|third party|channel|momo|mobile money) (?:transaction )?(?:id|ref|reference|no|receipt)$/,
  /^(?:payment|charge|source|receipt) (?:id|code)$/,
  /^approval(?: code| no)?$/,
  /^(?:id|flw ref|rrn|utr|external id)$/,
  /^(?:(?:namba|nambari|kumbukumbu) ya muamala|(?:no|id|r[eé]f[eé]rence) (?:de )?(?:la )?transaction|(?:c[oó]digo|id|n[oº]) da transa[cç][aã]o)$/,
];
const phone = [/^(?:phone|msisdn|mobile|telephone|tel|simu|telefon)(?: no)?$/, /\b(?:phone|msisdn|mobile(?! money)|telephone)\b/];
const time = [/^(?:time|transaction time|payment time|uhrzeit|heure|hora|saa)$/];

/** The number of an order, a bill, a pupil. */
const ownNumber =
  /^(?:(?:booking|ticket|quote|job|student|pupil|adm|admission|document|customer order) (?:no|id|ref|code)|order code|cart id|nambari ya (?:oda|agizo|ankara)|(?:n|no|nº) (?:de |do |da )?(?:commande|facture|pedido|fatura))$/;

const statement: Vocabulary = {
  balance,
  currency,
  phone,
  time,
  "paid-in": [
    /^(?:paid in|money in|cash in|amount in|in|inflows?|received|amount received)$/,
    /^credits?(?: amount| money in)?$/,
    /^(?:amount )?(?:cr|credited)(?: amount)?$/,
    /^(?:deposits?|lodgements?|collections?)(?: amount)?$/,
    /^(?:haben|gutschrift(?:en)?|(?:montant )?cr[eé]dits?|entr[eé]es?|einnahmen?|eingang|zugang|iliyoingia|kilichoingia|kuingia|abono|cr[eé]dito|entradas?)$/,
  ],
  withdrawn: [
    /^(?:withdrawn|withdrawals?|paid out|money out|cash out|amount out|out|outflows?|spent|disbursed|payments out|amount sent)(?: amount)?$/,
    /^debits?(?: amount| money out)?$/,
    /^(?:amount )?(?:dr|debited)(?: amount)?$/,
    /^(?:soll|lastschrift(?:en)?|(?:montant )?d[eé]bits?|sorties?|ausgaben?|ausgang|abgang|iliyotoka|kilichotoka|kutoka|cargo|d[eé]bito|sa[ií]das?)$/,
  ],
  amount: [
    /^(?:transaction |gross |total |payment |charge |order |paid )?amount$/,
    /^(?:gross|amount paid|paid amount|(?:transaction )?value|betrag|montant(?: brut)?|kiasi|umsatz|importe|valor(?: bruto)?)$/,
    /^amount (?:kes|collected|charged)$/,
    /^(?:collected|charged|received|captured) amount$/,
    /^(?:total|sum|brutto|brut|principal|gross sales|montant (?:de )?(?:la |l ?)?(?:transaction|op[eé]ration)|kiasi cha (?:fedha|muamala)|valor da transa[cç][aã]o)$/,
  ],
  status: [
    /^(?:transaction |payment |order )?status$/,
    /^(?:status|state|result|outcome|statut|[eé]tat|zustand|hali|estado|situa[cç][aã]o)(?: description| text)?$/,
    /\b(?:transaction|payment) (?:status|state|result)$/,
    /\b(?:status|statut|hali)\b/,
    /^(?:result|response) code$/,
    /^(?:is )?success(?:ful)?$/,
    /^(?:result|response)(?: desc| description| message)?$/,
  ],
  date: [
    /^completion (?:time|date)(?: and time)?$/,
    /^transaction (?:date|time|timestamp|datetime)(?: time| and time)?$/,
    /^(?:date|datetime|date time|date and time|timestamp|datum|tarehe|fecha|data)$/,
    /^(?:paid|completed|processed|received) (?:at|on|date|time)$/,
    /^(?:tarehe ya|fecha de(?: la)?|data d[aeo]) /,
    /^(?:payment|date of payment) ?(?:date|time)?$/,
    /^created (?:utc|at|on|date|time)(?: utc)?$/,
    /^(?:created|date created|creation date|origination time|initiation time|origination date)$/,
    /^(?:posting|post|booking|entry|processing) (?:date|time)$/,
    /^(?:buchungstag|buchungsdatum|date (?:de l ?|d ?)?op[eé]ration|date comptable)$/,
    /^settled (?:at|on|date|time)$/,
    /^(?:value date|valuta|valutadatum|date valeur|wertstellung|when|time|day)$/,
    /\b(?:date|timestamp|datetime)\b/,
  ],
  details: [
    /^(?:transaction )?(?:details?|narrations?|narratives?|particulars?|descriptions?|remarks?|memo)$/,
    /^(?:text|comments?|notes?|purpose|message|motif|objet|verwendungszweck|buchungstext|libell[eé](?: de l ?op[eé]ration)?|omschrijving|mededeling(?:en)?|descri[cç][aã]o|hist[oó]rico|maelezo|concepto|descripci[oó]n|beschreibung)$/,
    /\b(?:details|narration|narrative|particulars|description|remarks|libell[eé])\b/,
  ],
  type: [
    /^(?:reason type|transaction type|type|reporting category|category|transaction category|payment type|service type|service|kind|aina|mutatiesoort|art|tipo|aina ya muamala|event|type (?:de |d ?)?(?:transaction|op[eé]ration)|op[eé]ration)$/,
  ],
  direction: [
    /^(?:credit debit|debit credit|cr dr|dr cr|drcr|crdr|d c|c d|in out|direction|sens|sign|indicator|soll haben|s h|debit credit indicator|money in out|flow)$/,
    /^(?:transaction direction|transaction nature|entry type|dc indicator|debit or credit|credit or debit)$/,
  ],
  linked: [
    /^(?:linked transaction id|linked transaction|original transaction id|original transaction|parent transaction|original receipt(?: no)?|reversed receipt)$/,
  ],
  receipt: [...receiptStrong, ...receiptWeak],
  reference: [
    /^(?:bill ref(?:erence)?(?: no)?|account ref(?:erence)?|merchant (?:transaction )?ref(?:erence)?(?: no| id)?|company ref(?:erence)?|order ref(?:erence)?(?: no)?|client ref(?:erence)?(?: id)?|customer ref(?:erence)?(?: no)?|your ref(?:erence)?)$/,
    /^(?:external transaction id|external reference|external ref|external id|order (?:id|no)|order|invoice(?: no| id)?|invoice ref|payment metadata order id|metadata order id|api ref|transaction ref|merchant order (?:id|no)|custom|checkout id|merchant id ref)$/,
    /^account(?: no| number| reference| name ref)?$/,
    /^(?:reference|ref)(?: no| id)?$/,
    /^(?:referenz|kundenreferenz|r[eé]f[eé]rence|kumbukumbu|refer[eê]ncia|mandatsreferenz|end to end(?: id| ref| reference)?|account no used)$/,
    ownNumber,
    /\b(?:order|invoice|merchant|bill|customer|account)\b.*\b(?:ref|reference|no|id)$/,
    /\b(?:reference|ref)(?: no)?$/,
  ],
};

const orders: Vocabulary = {
  balance: [],
  currency,
  phone,
  time,
  reference: [
    /^(?:reference|invoice)$/,
    /^(?:ref|invoice no|invoice id|invoice #|merchant reference|order reference|payment reference|account reference)$/,
    /^(?:our|your|client|customer|merchant|order|invoice|sales) (?:ref|reference)(?: no)?$/,
    /^(?:reference|ref)(?: no| id| code)$/,
    /^(?:invoice|bill|receipt|document|doc|sales order|sales|reservation|booking|ticket|contract|policy)(?: no| #| id| ref)$/,
    /^(?:rechnung|rechnungsnr|rechnungs no|rechnungsnummer|facture|no facture|bestellung|bestellnummer|bestell no|commande|no commande|auftrag|auftragsnummer|oda|agizo|referenz|r[eé]f[eé]rence|factura|pedido)$/,
    ownNumber,
    /^(?:number|no|name|increment id)$/,
  ],
  amount: [
    /^(?:amount|total)$/,
    /^(?:total amount|order total|grand total|invoice total|amount due|order amount|invoice amount|order total amount|total signed|gross|total paid|sale total|bill amount|grand total base|grand total purchased)$/,
    /^(?:total|amount)(?: inc(?:l|luding)?)?(?: tax| vat| gst)?$/,
    /^(?:betrag|gesamt|gesamtbetrag|summe|endbetrag|montant|montant total|total ttc|kiasi|jumla|importe|valor|price|value|net pay|pay|(?:net )?payable|(?:order|invoice|sale) value|jumla kuu)$/,
    /^(?!.*\b(?:refund|refunded|discount|shipping)\b).*\b(?:total|amount|betrag|montant)\b/,
  ],
  status: [
    /^(?:payment status|financial status|paid(?: y n| yes no)?\??|payment state|is paid|success|(?:payment )?received\?|payment received|settled\?|invoice status|order status|hali ya malipo|statut du paiement|estado do pagamento)$/,
    /^(?:status|state|statut|zustand|hali|zahlungsstatus|zahlstatus|paid yet\??|estado(?: do pagamento)?|situa[cç][aã]o|stato|bezahlt\??|payé|pay[eé]e\?|payée|r[eé]gl[eé]e?\??|pagat[oa]\??|imelipwa\??)$/,
    /\b(?:payment|invoice|order)\b.*\b(?:status|state)$/,
    /\b(?:status|statut|hali)\b|^[eé]tat(?: du? paiement)?$/,
  ],
  date: [
    /^(?:date|created at|created)$/,
    /^(?:order date|date created|invoice date|paid at|time|timestamp|created on|ordered(?: at| on)?|order time|purchase date|purchased on|invoice bill date|sale date|issue date|issued(?: on)?|raised on|data do pedido|placed on|placed at|date ordered|when|datum|tarehe|fecha|rechnungsdatum|bestelldatum|datetime|date time|date de facture|created time)$/,
    /^(?!due\b).*\b(?:date|created)\b(?!.*due)/,
  ],
  id: [/^(?:order id|order no|id|order #|order)$/],
  receipt: [...receiptStrong, /^transaction(?: id| no| code| ref)$/, /^payment (?:receipt|code|transaction id)$/, /\bmpesa\b.*\b(?:code|ref|receipt|id|no)\b/],
};

/** The words of headings by field, the likeliest first. Words come last among the proofs: what the cells say goes before. */
export const vocabularyOf = (kind: FileKind): Vocabulary => (kind === "orders" ? orders : statement);

const otherStatus =
  /\b(?:previous|prev|prior|old|delivery|shipping|shipment|fulfill?ment|dispatch|reconciliation|refund|dispute|callback|webhook|notification|sms|email|sync|kyc|account|customer|stock)\b.*\b(?:status|state|statut)\b/u;
/** The day of a stay, a journey or a delivery, of a settlement or of a later change. */
const otherDate =
  /\b(?:updated?|modified|expir(?:y|es|ed|ation)|birth|printed|exported|settlement|payout|shipping|check ?in|check ?out|arrival|arriving|departure|departing|due|delivery|delivered|shipped|start|end|travel|event)\b/u;
export const isOtherDate = (heading: string): boolean => otherDate.test(headingWords(heading));

/** The status of something else than the payment, or one that is over. */
export const isOtherStatus = (heading: string): boolean => otherStatus.test(headingWords(heading));

/** How well a heading names a field: 0 is best, undefined is not at all. */
export const rankOfHeading = (heading: string, field: FieldName, kind: FileKind): number | undefined => {
  const words = headingWords(heading);
  if (words === "" || (field === "status" && otherStatus.test(words))) return undefined;
  const index = vocabularyOf(kind)[field]?.findIndex((pattern) => pattern.test(words)) ?? -1;
  return index < 0 ? undefined : index;
};

const strongCount = receiptStrong.length;
/** Does the heading say that its cells are receipts, and not just some id? */
export const isReceiptHeading = (heading: string): boolean => receiptStrong.slice(0, strongCount).some((pattern) => pattern.test(headingWords(heading)));

/** `Adm No`, `Bill #`: the number of something. */
export const isNumberHeading = (heading: string): boolean => /(?:^|\s)(?:no|#|id|code)$/.test(headingWords(heading));

/** What is counted in pieces or days, or numbers something: never an amount. */
export const isCountHeading = (heading: string): boolean =>
  /^(?:(?:total|order|lineitem|item|no of|number of) )*(?:quantity|quantities|qty|units?|nights?|adults?|child(?:ren)?|guests?|pax|pieces|pcs|idadi|menge|anzahl|quantit[eé]|cantidad)(?: (?:purchased|ordered|sold|refunded|returned|shipped))?$|\S (?:no|#|id|code)$/u.test(
    headingWords(heading),
  );

/** The number or the address of somebody or of a place, which several payments share: no reference where another one is. */
export const isPartyHeading = (heading: string): boolean =>
  /^(?:customer|client|member|user|merchant|staff) (?:id|no|code)$|^(?:teller|cashier|agent|branch|store|outlet|terminal|till|batch|operator)(?: (?:id|no|code))?$|\be ?mail\b/.test(
    headingWords(heading),
  );

/** What is counted in money or in pieces: never the number of something. */
export const isMoneyHeading = (heading: string): boolean =>
  /\b(?:amount|total|subtotal|price|cost|fees?|charges?|charged|net|gross|tax|vat|discount|paid|settled|commission|quantity|qty|rate)\b/.test(
    headingWords(heading),
  );

/** Words that only a list of the merchant's own has, and words that only a list of what was paid has. */
const ordersWords =
  /\b(?:order|orders|invoice|customer|due|item|items|qty|quantity|shipping|billing|financial|product|sku|discount|subtotal|tax|vat|outstanding|doc|document|lineitem|partner|bestellung|rechnung|commande|facture|employee|staff|vendor|supplier|guests?|reservation|booking ref|nights|check in|checkout|arrival|departure|room|adults|pupil|student|tenant|to pay|net pay|paid\?|created at)\b|\bpaid\?$/;
const statementWords =
  /\b(?:transaction date|transaction time|value date|completion time|narrative|narration|particulars|balance|saldo|solde|initiation|origination|sender|payer|till|paybill|settlement|withdrawn|debit|credit|confirmation|gateway|buchungstag|verwendungszweck|libell[eé]|reason type)\b/;
/** A list of orders may have one of these too. */
const eitherWords = /\b(?:fee|charge|charges|commission|net|account|msisdn|operator|provider|channel)\b/;
/** Above 0 for what speaks of a statement, below for orders; `either` is what a word counts that both may have. */
export const kindScore = (headings: readonly string[], either = 1): number => {
  let score = 0;
  for (const heading of headings) {
    const words = headingWords(heading);
    if (statementWords.test(words)) score += 1;
    else if (eitherWords.test(words)) score += either;
    if (ordersWords.test(words)) score -= 1;
  }
  return score;
};

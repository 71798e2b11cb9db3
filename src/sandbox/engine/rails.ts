/** A rail as the sandbox knows it: what is served, and in `x` what is its own and never served (sandbox.md). */
export type Rail = {
  readonly rail: string;
  readonly displayName: string;
  readonly country: string;
  readonly currencies: readonly string[];
  readonly collectionFlow: string;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly live: boolean;
  readonly capabilities: {
    readonly collect: boolean;
    readonly disburse: boolean;
    readonly categories: readonly string[];
    readonly disbursementChannels: readonly string[];
  };
  readonly x: {
    readonly decimals: number;
    readonly operators?: readonly string[];
    readonly bankCodes?: readonly string[];
    readonly prefix?: string;
    readonly fee: string;
  };
};

/** The catalogue; a test compares it with cases/rails.json. */
export const rails: readonly Rail[] = [
  {
    rail: "KE_MPESA",
    displayName: "M-PESA Kenya",
    country: "KE",
    currencies: ["KES"],
    collectionFlow: "PUSH",
    minAmount: 10,
    maxAmount: 250000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MPESA", "AIRTEL_MONEY"], prefix: "254", fee: "1.5%" },
  },
  {
    rail: "KE_BANK",
    displayName: "Kenya bank transfer",
    country: "KE",
    currencies: ["KES"],
    collectionFlow: "REDIRECT",
    minAmount: 100,
    maxAmount: 999999,
    live: true,
    capabilities: { collect: false, disburse: true, categories: ["BANK"], disbursementChannels: ["BANK"] },
    x: { decimals: 2, bankCodes: ["01", "02", "03", "07", "11", "12", "31", "57", "63", "66", "68", "70"], prefix: "254", fee: "flat 50" },
  },
  {
    rail: "KE_CARD",
    displayName: "Card checkout (Kenya)",
    country: "KE",
    currencies: ["KES", "USD"],
    collectionFlow: "REDIRECT",
    minAmount: 1,
    maxAmount: 500000,
    live: true,
    capabilities: { collect: true, disburse: false, categories: ["CARD"], disbursementChannels: [] },
    x: { decimals: 2, fee: "3.5%" },
  },
  {
    rail: "UG_MOMO",
    displayName: "Uganda Mobile Money",
    country: "UG",
    currencies: ["UGX"],
    collectionFlow: "PUSH",
    minAmount: 500,
    maxAmount: 5000000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MTN", "AIRTEL"], prefix: "256", fee: "2%" },
  },
  {
    rail: "TZ_MOMO",
    displayName: "Tanzania Mobile Money",
    country: "TZ",
    currencies: ["TZS"],
    collectionFlow: "PUSH",
    minAmount: 100,
    maxAmount: 3000000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY", "BANK"] },
    x: { decimals: 0, operators: ["AIRTEL", "TIGO", "HALOTEL", "VODACOM"], prefix: "255", fee: "2%" },
  },
  {
    rail: "RW_MOMO",
    displayName: "Rwanda Mobile Money",
    country: "RW",
    currencies: ["RWF"],
    collectionFlow: "PUSH",
    minAmount: 100,
    maxAmount: 1500000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MTN", "AIRTEL"], prefix: "250", fee: "2%" },
  },
  {
    rail: "GH_MOMO",
    displayName: "Ghana Mobile Money",
    country: "GH",
    currencies: ["GHS"],
    collectionFlow: "PUSH",
    minAmount: 1,
    maxAmount: 10000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY", "BANK"] },
    x: { decimals: 2, operators: ["MTN", "TELECEL", "AT"], prefix: "233", fee: "1.9%" },
  },
  {
    rail: "NG_CHECKOUT",
    displayName: "Nigeria card and bank checkout",
    country: "NG",
    currencies: ["NGN"],
    collectionFlow: "REDIRECT",
    minAmount: 100,
    maxAmount: 7500000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["CARD", "BANK"], disbursementChannels: ["BANK"] },
    x: { decimals: 2, bankCodes: ["011", "033", "044", "057", "058", "070"], prefix: "234", fee: "1.5% + 100 cap 2000" },
  },
  {
    rail: "ZA_EFT",
    displayName: "South Africa EFT and card",
    country: "ZA",
    currencies: ["ZAR"],
    collectionFlow: "REDIRECT",
    minAmount: 10,
    maxAmount: 250000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["BANK", "CARD"], disbursementChannels: ["BANK"] },
    x: { decimals: 2, bankCodes: ["632005", "250655", "470010"], prefix: "27", fee: "2.9% + 1" },
  },
  {
    rail: "CI_MOMO",
    displayName: "Cote d'Ivoire Mobile Money",
    country: "CI",
    currencies: ["XOF"],
    collectionFlow: "PUSH",
    minAmount: 1,
    maxAmount: 1500000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MTN", "ORANGE"], prefix: "225", fee: "2.5%" },
  },
  {
    rail: "SN_MOMO",
    displayName: "Senegal Mobile Money",
    country: "SN",
    currencies: ["XOF"],
    collectionFlow: "PUSH",
    minAmount: 5,
    maxAmount: 200000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["ORANGE", "FREE"], prefix: "221", fee: "2.5%" },
  },
  {
    rail: "CM_MOMO",
    displayName: "Cameroon Mobile Money",
    country: "CM",
    currencies: ["XAF"],
    collectionFlow: "PUSH",
    minAmount: 1,
    maxAmount: 500000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MTN", "ORANGE"], prefix: "237", fee: "2.5%" },
  },
  {
    rail: "CD_MOMO",
    displayName: "DR Congo Mobile Money",
    country: "CD",
    currencies: ["CDF", "USD"],
    collectionFlow: "PUSH",
    minAmount: 500,
    maxAmount: 1000000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 2, operators: ["AIRTEL", "ORANGE", "VODACOM"], prefix: "243", fee: "3%" },
  },
  {
    rail: "ZM_MOMO",
    displayName: "Zambia Mobile Money",
    country: "ZM",
    currencies: ["ZMW"],
    collectionFlow: "PUSH",
    minAmount: 1,
    maxAmount: 20000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 2, operators: ["AIRTEL", "MTN", "ZAMTEL"], prefix: "260", fee: "2%" },
  },
  {
    rail: "MW_MOMO",
    displayName: "Malawi Mobile Money",
    country: "MW",
    currencies: ["MWK"],
    collectionFlow: "PUSH",
    minAmount: 50,
    maxAmount: 750000,
    live: true,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 2, operators: ["AIRTEL", "TNM"], prefix: "265", fee: "3%" },
  },
  {
    rail: "BJ_MOMO",
    displayName: "Benin Mobile Money (payouts only)",
    country: "BJ",
    currencies: ["XOF"],
    collectionFlow: "PUSH",
    minAmount: 100,
    maxAmount: 2000000,
    live: true,
    capabilities: { collect: false, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 0, operators: ["MTN", "MOOV"], prefix: "229", fee: "2.5%" },
  },
  {
    rail: "SL_ORANGE",
    displayName: "Sierra Leone Orange Money",
    country: "SL",
    currencies: ["SLE"],
    collectionFlow: "PUSH",
    minAmount: 1,
    maxAmount: 15000,
    live: false,
    capabilities: { collect: true, disburse: true, categories: ["MOBILE_MONEY"], disbursementChannels: ["MOBILE_MONEY"] },
    x: { decimals: 2, operators: ["ORANGE"], prefix: "232", fee: "3%" },
  },
];

export const findRail = (code: string): Rail | undefined => rails.find((rail) => rail.rail === code);

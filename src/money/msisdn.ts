import { type PhoneReading, readKenyanPhone, readPhoneDigits } from "./phone.ts";

/** How a country's mobile numbers are written: calling code, digits after it, and the trunk prefix dialled inside the country. */
type Plan = readonly [code: string, digits: number, trunk: "0" | ""];

/**
 * The service wants "local-style digits" (service 4, collections), which differ by country and are not shown. This table is
 * of the world's calling codes, not of the service's rails: which countries there are comes from the providers answer alone,
 * and a country that is not here is served with the digits as typed.
 */
const plans: Readonly<Record<string, Plan>> = {
  BF: ["226", 8, ""],
  BI: ["257", 8, ""],
  BJ: ["229", 10, ""],
  BW: ["267", 8, ""],
  CD: ["243", 9, "0"],
  CG: ["242", 9, ""],
  CI: ["225", 10, ""],
  CM: ["237", 9, ""],
  EG: ["20", 10, "0"],
  ET: ["251", 9, "0"],
  GH: ["233", 9, "0"],
  GM: ["220", 7, ""],
  GN: ["224", 9, ""],
  LS: ["266", 8, ""],
  MA: ["212", 9, "0"],
  MG: ["261", 9, "0"],
  ML: ["223", 8, ""],
  MW: ["265", 9, "0"],
  MZ: ["258", 9, ""],
  NE: ["227", 8, ""],
  NG: ["234", 10, "0"],
  RW: ["250", 9, "0"],
  SL: ["232", 8, "0"],
  SN: ["221", 9, ""],
  SZ: ["268", 8, ""],
  TD: ["235", 8, ""],
  TG: ["228", 8, ""],
  TN: ["216", 8, ""],
  TZ: ["255", 9, "0"],
  UG: ["256", 9, "0"],
  ZA: ["27", 9, "0"],
  ZM: ["260", 9, "0"],
  ZW: ["263", 9, "0"],
};

const lengthProblem = (country: string, [code, digits, trunk]: Plan): PhoneReading => ({
  problem: "length",
  why: `has the wrong length: in ${country} ${digits} digits follow ${trunk === "" ? "" : `${trunk} or `}+${code}`,
});

/**
 * The national form of a number as dialled in a country (ISO 3166 two letters): with the trunk zero where the country has
 * one (`0772000001` in Uganda), without where it has none (`771234567` in Senegal). In a country this table does not know,
 * 4 to 15 digits are kept as typed, without `+` or `00`.
 */
export const readMsisdn = (typed: string, country: string): PhoneReading => {
  const place = country.toUpperCase();
  if (place === "KE") return nationalKenyan(typed);
  const read = readPhoneDigits(typed);
  if ("problem" in read) return read;
  const { digits, international } = read;
  const plan = Object.hasOwn(plans, place) ? plans[place] : undefined;
  if (plan === undefined) {
    return digits.length >= 4 && digits.length <= 15 ? { phone: digits } : { problem: "length", why: "has the wrong length: a number has 4 to 15 digits" };
  }
  const [code, length] = plan;
  if (international && !digits.startsWith(code)) return { problem: "not-country", why: `is not a number of ${place}: those begin +${code}` };
  const hasCode = international || (digits.startsWith(code) && (digits.length === code.length + length || digits.length === code.length + length + 1));
  return national(hasCode ? digits.slice(code.length) : digits, plan, place, hasCode);
};

const national = (digits: string, plan: Plan, country: string, hadCode: boolean): PhoneReading => {
  const [code, length, trunk] = plan;
  if (digits.length === length && (trunk === "" || !digits.startsWith("0"))) return { phone: trunk + digits };
  if (digits.length !== length + 1 || !digits.startsWith("0")) return lengthProblem(country, plan);
  if (trunk === "") return { phone: digits.slice(1), warning: `the leading 0 was left out: numbers in ${country} have none` };
  return hadCode ? { phone: digits, warning: `the 0 after +${code} was taken as the one dialled inside the country` } : { phone: digits };
};

const nationalKenyan = (typed: string): PhoneReading => {
  const read = readKenyanPhone(typed);
  if ("problem" in read) return read.problem === "not-kenya" ? { problem: "not-country", why: "is not a number of KE: those begin +254" } : read;
  return { ...read, phone: `0${read.phone.slice(3)}` };
};

import { type PhoneReading, readKenyanPhone } from "./phone.ts";

/**
 * Reads numbers into the national form as dialled in a country (ISO 3166 two letters): with the trunk zero where the country has
 * one (`0772000001` in Uganda), without where it has none (`771234567` in Senegal). The world's numbering plans are loaded for
 * countries other than Kenya only.
 */
export const msisdnReader = async (country: string): Promise<(typed: string) => PhoneReading> => {
  const place = country.toUpperCase();
  if (place === "KE") return nationalKenyan;
  const { nationalReader } = await import("./numbering-plans.ts");
  return nationalReader(place);
};

const nationalKenyan = (typed: string): PhoneReading => {
  const read = readKenyanPhone(typed);
  if ("problem" in read) return read.problem === "not-kenya" ? { problem: "not-country", why: "is not a number of KE: those begin +254" } : read;
  return { ...read, phone: `0${read.phone.slice(3)}` };
};

import { type CountryCode, getExampleNumber, isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/mobile";
import examples from "libphonenumber-js/mobile/examples";
import { type PhoneDigits, type PhoneReading, readPhoneDigits } from "./phone.ts";

type DigitsReader = (read: PhoneDigits) => PhoneReading;

/** A reader for a country. In one that has no known plan the service decides: 4 to 15 digits are kept as typed, without `+` or `00`. */
export const nationalReader = (country: string): ((typed: string) => PhoneReading) => {
  const read = plannedReader(country) ?? unplanned;
  return (typed) => {
    const digits = readPhoneDigits(typed);
    return "problem" in digits ? digits : read(digits);
  };
};

const wrongLength = (why: string): PhoneReading => ({ problem: "length", why: `has the wrong length: ${why}` });

const unplanned: DigitsReader = ({ digits }) => (/^\d{4,15}$/.test(digits) ? { phone: digits } : wrongLength("a number has 4 to 15 digits"));

const plannedReader = (country: string): DigitsReader | undefined => {
  if (!isSupportedCountry(country)) return undefined;
  const example = getExampleNumber(country, examples);
  return example === undefined ? undefined : readerLike(example, country);
};

/** Their plans count numbers as mobile that are too short for a phone (South Africa: 5 digits), so that a digit left out would not be noticed. */
const loose: readonly CountryCode[] = ["ZA"];

const dialled = (number: PhoneNumber): string => number.formatNational().replace(/\D/g, "");

/** A range that the plans do not have (they lag behind the operators) is read by its length, like the country's example. */
const readerLike = (example: PhoneNumber, country: CountryCode): DigitsReader => {
  const { countryCallingCode: code, nationalNumber: sample } = example;
  const trunk = dialled(example).endsWith(sample) ? dialled(example).slice(0, -sample.length) : "";
  const lead = trunk === "" ? "0" : trunk;
  // Where the numbers themselves begin with 0, one that is left out would make another number.
  const leads = sample.startsWith(lead) ? [] : [lead];
  const fits = (digits: string): boolean => digits.length === sample.length && (trunk === "" || !digits.startsWith(trunk));
  const readNumber = ({ digits, international }: PhoneDigits): { readonly subscriber: string; readonly phone: string } | undefined => {
    const number = parsePhoneNumberFromString(international ? `+${digits}` : digits, { defaultCountry: country, extract: false });
    if (number?.isValid() === true && number.countryCallingCode === code && (!loose.includes(country) || fits(number.nationalNumber)))
      return { subscriber: number.nationalNumber, phone: dialled(number) };
    const prefixes = ["", ...leads].flatMap((before) => (international ? [code + before] : [before, code + before]));
    const subscriber = prefixes.flatMap((prefix) => (digits.startsWith(prefix) ? digits.slice(prefix.length) : [])).find(fits);
    return subscriber === undefined ? undefined : { subscriber, phone: trunk + subscriber };
  };
  return (read) => {
    if (read.international && !read.digits.startsWith(code)) return { problem: "not-country", why: `is not a number of ${country}: those begin +${code}` };
    const number = readNumber(read);
    if (number === undefined) return wrongLength(`in ${country} ${sample.length} digits follow ${trunk === "" ? "" : `${trunk} or `}+${code}`);
    const { subscriber, phone } = number;
    const extra = (trunk === "" ? [lead, code + lead] : [code + lead]).find((prefix) => read.digits === prefix + subscriber);
    if (extra === undefined) return { phone };
    const why =
      trunk === ""
        ? `the leading 0 was left out: numbers in ${country} have none`
        : `the ${lead} after +${code} was taken as the one dialled inside the country`;
    return { phone, warning: why };
  };
};

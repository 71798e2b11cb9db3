/** The command line of a payout of KES 100 with this reference. */
export const payoutWords = (reference: string, ...more: readonly string[]): readonly string[] => [
  ..."b2c --phone 0712345678 --amount 100 --yes --json --reference".split(" "),
  reference,
  ...more,
];

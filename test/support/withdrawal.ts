/** A withdrawal in shillings of Uganda by mobile money, as it is typed; without `--yes`. */
export const withdrawal: readonly string[] =
  "global withdraw --rail UG_MOMO --channel MOBILE_MONEY --operator MTN --msisdn 0772000001 --amount 5000 --currency UGX".split(" ");

/** One creation of each kind that any merchant of the sandbox may make. */
export const collection = { rail: "UG_MOMO", msisdn: "0772000001", amount: 5000, currency: "UGX" };
export const redirect = { rail: "NG_CHECKOUT", customerEmail: "a@example.com", amount: 5000, currency: "NGN", callbackReturnUrl: "https://shop.example/back" };
export const momo = { rail: "UG_MOMO", channel: "MOBILE_MONEY", operator: "MTN", payeeMsisdn: "0772000001", amount: 5000, currency: "UGX" };
export const bank = { rail: "KE_BANK", channel: "BANK", bankCode: "01", accountNumber: "0123456789", accountName: "A Person", amount: 500, currency: "KES" };
export const push = { phone: "254712345678", amount: 150, reference: "R" };
export const creations = { stkPush: push, b2c: push, collect: collection, withdraw: momo } as const;

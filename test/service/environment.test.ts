import { expect, it } from "vitest";
import { cleanEnvironment } from "../../src/host/node-host.ts";

it.each([
  ["PAYMENTS_BASE_URL", '"https://api.example.test"\n', "https://api.example.test"],
  ["PAYMENTS_API_KEY", " 'k1' ", "k1"],
  ["PAYMENTS_PROFILE", "“shop”", "shop"],
  ["PAYMENTS_PROFILE", '"my shop"', "my shop"],
  ["PAYMENTS_WEBHOOK_SECRET", '"whsec_a b"\r\n"whsec_c"\r\n', "whsec_a b\nwhsec_c"],
  ["PAYMENTS_JOURNAL_URL", '"postgres://h/d"', "postgres://h/d"],
  ["HTTPS_PROXY", '"http://p:1"', "http://p:1"],
  ["no_proxy", "'a.test, b.test'\n", "a.test, b.test"],
  ["NO_COLOR", '""', ""],
  ["FORCE_COLOR", '"0"', "0"],
  ["TERM", "'dumb'", "dumb"],
])("%s=%j is %j", (name, value, cleaned) => {
  expect(cleanEnvironment({ [name]: value })).toEqual({ [name]: cleaned });
});

it("leaves the variables of others as they are", () => {
  const env = { PATH: '"/bin"', NODE_EXTRA_CA_CERTS: '"/ca.pem"', HOME: " /home/x ", MY_PAYMENTS_KEY: "'x'" };
  expect(cleanEnvironment({ ...env })).toEqual(env);
});

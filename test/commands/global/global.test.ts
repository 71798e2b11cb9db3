import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCli, type Service, withFlags } from "../../support/cli.ts";
import { withdrawal } from "../../support/withdrawal.ts";

type Rail = { rail: string; country: string; live: boolean; collectionFlow: string; [name: string]: unknown };
const catalogue: Rail[] = JSON.parse(readFileSync(new URL("../../cases/rails.json", import.meta.url), "utf8"));
const serviceOf =
  (rails: readonly Rail[] = catalogue, extra: object = {}): Service =>
  ({ method, path }) => {
    if (path.endsWith("/providers")) return { body: { success: true, providers: rails, note: "kept" } };
    if (path.endsWith("/collections"))
      return { body: { success: true, message: "Created", collection: { reference: "GC-1", status: "PENDING", amount: 1, fee: 0 }, ...extra } };
    if (path.endsWith("/disbursements"))
      return { body: { success: true, message: "Accepted", disbursement: { reference: "GD-1", status: "PROCESSING", amount: 1, fee: 0 } } };
    if (path.endsWith("/global/wallet")) return { body: { success: true, wallet: { currency: "USD", availableBalance: 1234.5, odd: 3 } } };
    return { status: 404, body: { method } };
  };
const creations = (requests: readonly { readonly method: string; readonly body: string }[]): string[] =>
  requests.filter(({ method }) => method === "POST").map(({ body }) => body);
const uganda = ["global", "collect", "--rail", "UG_MOMO", "--amount", "5000", "--currency", "UGX", "--msisdn", "0772000001"];
const card = ["global", "collect", "--rail", "KE_CARD", "--amount", "25.50", "--currency", "USD", "--email", "payer@example.com"];
const messageOf = (stderr: string): string => JSON.parse(stderr).error.message;

describe("global providers", () => {
  it("filters the rails and leaves the rest", async () => {
    const { code, stdout } = await runCli(["global", "providers", "--currency", "xof", "--flow", "push", "--json"], { service: serviceOf() });
    const { providers, note } = JSON.parse(stdout);
    expect([code, providers.map(({ rail }: Rail) => rail), note]).toEqual([0, ["CI_MOMO", "SN_MOMO", "BJ_MOMO"], "kept"]);
  });
  it("shows an unknown flow, and what is not live", async () => {
    const { stdout } = await runCli(["global", "providers"], {
      service: serviceOf([...catalogue, { ...catalogue[0], rail: "NEW", collectionFlow: "USSD" } as Rail]),
      width: 200,
    });
    expect(stdout).toContain("USSD (unrecognised)");
    expect(stdout).toContain("not live");
  });
});

describe("global collect", () => {
  it("A4: an amount keeps its digits, and a dry run reads the rails alone", async () => {
    const { code, stdout, requests } = await runCli([...uganda, "--dry-run", "--json"], { service: serviceOf() });
    expect([code, JSON.parse(stdout).body]).toEqual([0, { rail: "UG_MOMO", msisdn: "0772000001", amount: 5000, currency: "UGX" }]);
    expect(creations(requests)).toEqual([]);
  });

  it("collects by prompt", async () => {
    const { code, stdout, requests } = await runCli(uganda, { service: serviceOf() });
    expect([code, creations(requests)]).toEqual([0, ['{"rail":"UG_MOMO","msisdn":"0772000001","amount":5000,"currency":"UGX"}']]);
    expect(stdout).toContain("GC-1");
    expect(stdout).toContain("Waiting for the payer");
  });

  it("collects by checkout: prints the address, opens it, and draws it if the window has room for both", async () => {
    const service = serviceOf(catalogue, { authorizationUrl: "https://pay.example/c/1" });
    const piped = await runCli([...card, "--return-url", "https://shop.example/back"], { service });
    expect(piped.stdout).toContain("https://pay.example/c/1");
    expect(piped.stdout).not.toContain("█");
    expect(creations(piped.requests)).toEqual([
      '{"rail":"KE_CARD","customerEmail":"payer@example.com","amount":25.5,"currency":"USD","callbackReturnUrl":"https://shop.example/back"}',
    ]);
    for (const [rows, draws] of [
      [24, false],
      [50, true],
    ] as const) {
      const host = { screen: { size: () => ({ columns: 80, rows }), beat: () => () => undefined } };
      const screen = await runCli([...card, "--open"], { service, answers: [], host });
      expect([screen.opened, screen.stdout.includes("█")]).toEqual([["https://pay.example/c/1"], draws]);
      expect(screen.stdout.trimEnd().split("\n").length).toBeLessThan(rows);
      expect(screen.stdout).toContain("https://pay.example/c/1");
    }
  });

  it("says what serves the checkout of the embedded sandbox, opens nothing before, and leaves the answer as it is", async () => {
    const { stdout, opened } = await runCli([...card, "--open", "--sandbox"], { terminal: true, env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/\nhttp:\/\/127\.0\.0\.1:4010\/checkout\/GC-\S+\nTo open this page, .*: payments-cli sandbox\n/);
    expect([opened, stdout.includes("█")]).toEqual([[], false]);
    expect(JSON.parse((await runCli([...card, "--sandbox", "--json"])).stdout).authorizationUrl).toMatch(/^http:\/\/sandbox\.localhost\//);
  });

  it("opens nothing but http and https", async () => {
    const { code, opened, notes } = await runCli([...card, "--open"], {
      service: serviceOf(catalogue, { authorizationUrl: "javascript:alert(1)" }),
      terminal: true,
    });
    expect([code, opened]).toEqual([0, []]);
    expect(notes).toContain("http and https");
  });

  it("--open opens nothing without a terminal", async () => {
    const service = serviceOf(catalogue, { authorizationUrl: "https://pay.example/c/1" });
    const piped = await runCli([...card, "--open"], { service });
    expect([piped.code, piped.opened, piped.stdout.includes("https://pay.example/c/1")]).toEqual([0, [], true]);
    const scripted = await runCli([...card, "--open", "--no-input"], { service, terminal: true });
    expect([scripted.code, scripted.opened]).toEqual([0, []]);
  });

  const refusals: readonly (readonly [string, readonly string[], string])[] = [
    ["no such rail", ["--rail", "XX_NONE"], "no rail"],
    ["not live", ["--rail", "SL_ORANGE", "--currency", "SLE", "--amount", "5"], "not live"],
    ["payouts only", ["--rail", "BJ_MOMO", "--currency", "XOF"], "does not collect"],
    ["another currency", ["--currency", "KES"], "does not take KES"],
    ["too small", ["--amount", "499"], "500"],
    ["too large", ["--amount", "5000001"], "500 to 5,000,000 UGX"],
    ["decimals", ["--amount", "5000.5"], "no decimals"],
    ["a currency there is not", ["--currency", "ABC"], "does not take ABC"],
    ["another country's phone", ["--msisdn", "+254712345678"], "UG"],
    ["a return address on a prompt", ["--return-url", "https://a.example"], "no use for --return-url"],
    ["both payers", ["--email", "a@b.example"], "not both"],
  ];
  for (const [name, flags, words] of refusals) {
    it(`refuses before sending: ${name}`, async () => {
      const { code, stderr, requests } = await runCli([...withFlags(uganda, flags), "--json"], { service: serviceOf() });
      expect([code, creations(requests)]).toEqual([2, []]);
      expect(messageOf(stderr)).toContain(words);
    });
  }

  it("wants the payer that the rail's flow needs", async () => {
    const push = await runCli(["global", "collect", "--rail", "UG_MOMO", "--amount", "5000", "--currency", "UGX", "--email", "a@b.example", "--json"], {
      service: serviceOf(),
    });
    expect([push.code, messageOf(push.stderr)]).toEqual([2, expect.stringContaining("--msisdn")]);
    const redirect = await runCli(["global", "collect", "--rail", "KE_CARD", "--amount", "5", "--currency", "KES", "--msisdn", "0712345678", "--json"], {
      service: serviceOf(),
    });
    expect([redirect.code, messageOf(redirect.stderr)]).toEqual([2, expect.stringContaining("--email")]);
  });

  it("shows a flow it does not know, and does not offer it", async () => {
    const rails = [{ ...catalogue[0], collectionFlow: "USSD" } as Rail];
    const { code, stderr } = await runCli(
      ["global", "collect", "--rail", "KE_MPESA", "--amount", "50", "--currency", "KES", "--msisdn", "0712345678", "--json"],
      { service: serviceOf(rails) },
    );
    expect([code, messageOf(stderr)]).toEqual([2, expect.stringContaining("USSD")]);
  });

  it("P1: names all that is missing, and sends nothing", async () => {
    const { code, stderr, requests } = await runCli(["global", "collect", "--json"], { service: serviceOf() });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(messageOf(stderr)).toMatch(/--rail.*--amount.*--currency.*--msisdn or --email/);
  });

  it("on a terminal, offers only what can be used and names the rest, limits beside the amount", async () => {
    const { code, prompts, notes, requests } = await runCli(["global", "collect"], {
      service: serviceOf(),
      answers: [{ choose: "Uganda (UG)" }, "10", "5000", "0772000001"],
    });
    expect(code).toBe(0);
    expect(creations(requests)).toEqual(['{"rail":"UG_MOMO","msisdn":"0772000001","amount":5000,"currency":"UGX"}']);
    expect(prompts[0]).not.toContain("Sierra Leone");
    expect(notes).toContain("SL_ORANGE");
    expect(notes).toContain("UG_MOMO");
    expect(prompts.join("\n")).toContain("Amount in UGX (500 to 5,000,000)");
    expect(prompts.join("\n")).toContain("too small");
  });

  it("asks for the currency where a rail has several, and for an email address at a checkout", async () => {
    const { code, requests } = await runCli(["global", "collect", "--rail", "KE_CARD"], {
      service: serviceOf(),
      answers: [{ choose: "USD" }, "25", "nobody", "payer@example.com"],
    });
    expect([code, creations(requests)]).toEqual([0, ['{"rail":"KE_CARD","customerEmail":"payer@example.com","amount":25,"currency":"USD"}']]);
  });
});

describe("global withdraw", () => {
  it("withdraws to mobile money and to a bank", async () => {
    const mobile = await runCli([...withdrawal, "--yes", "--json"], { service: serviceOf() });
    expect([mobile.code, creations(mobile.requests)]).toEqual([
      0,
      ['{"rail":"UG_MOMO","channel":"MOBILE_MONEY","operator":"MTN","payeeMsisdn":"0772000001","amount":5000,"currency":"UGX"}'],
    ]);
    const bank = [
      "global",
      "withdraw",
      "--rail",
      "KE_BANK",
      "--channel",
      "bank",
      "--bank-code",
      "01",
      "--account-number",
      "0012345678",
      "--account-name",
      "Duka Ltd",
    ];
    const { code, requests } = await runCli([...bank, "--amount", "500.25", "--currency", "KES", "--yes"], { service: serviceOf() });
    expect([code, creations(requests)]).toEqual([
      0,
      ['{"rail":"KE_BANK","channel":"BANK","bankCode":"01","accountNumber":"0012345678","accountName":"Duka Ltd","amount":500.25,"currency":"KES"}'],
    ]);
  });

  it("O7: a 200 that says it failed is a refusal", async () => {
    const service: Service = (request, count) =>
      request.method === "POST" ? { body: { success: false, message: "Rail closed" } } : serviceOf()(request, count);
    const { code, stdout, stderr } = await runCli([...withdrawal, "--yes", "--json"], { service });
    expect([code, stdout, messageOf(stderr)]).toEqual([6, "", "Rail closed"]);
  });

  it("P5: shows all of it, and wants the amount typed", async () => {
    const wrong = await runCli(withdrawal, { service: serviceOf(), answers: ["500"] });
    expect([wrong.code, creations(wrong.requests)]).toEqual([130, []]);
    for (const text of ["UGX 5,000", "MTN", "0772000001", "(live)", "UG_MOMO", "MOBILE_MONEY", "127.0.0.1", "fee"]) expect(wrong.prompts[0]).toContain(text);
    const right = await runCli(withdrawal, { service: serviceOf(), answers: ["", "5,000"] });
    expect([right.code, creations(right.requests).length]).toEqual([0, 1]);
  });

  it("needs --yes without a terminal, before anything is read", async () => {
    const { code, stderr, requests } = await runCli(withdrawal, { service: serviceOf(), stdin: "5000\n" });
    expect([code, requests.length]).toEqual([2, 0]);
    expect(stderr).toContain("--yes");
  });

  const refusals: readonly (readonly [string, readonly string[], string])[] = [
    ["a channel the rail has not", ["--channel", "BANK"], "--bank-code"],
    ["a rail without withdrawals", ["--rail", "KE_CARD", "--currency", "USD"], "does not pay withdrawals out"],
    ["a bank account with mobile money", ["--bank-code", "01"], "not both"],
    ["an operator that is blank", ["--operator", " "], "operator"],
  ];
  for (const [name, flags, words] of refusals) {
    it(`refuses before sending: ${name}`, async () => {
      const { code, stderr, requests } = await runCli([...withFlags(withdrawal, flags), "--yes", "--json"], { service: serviceOf() });
      expect([code, creations(requests)]).toEqual([2, []]);
      expect(messageOf(stderr)).toContain(words);
    });
  }

  it("P1: names all that is missing", async () => {
    const none = await runCli(["global", "withdraw", "--json"], { service: serviceOf() });
    expect([none.code, none.requests.length]).toEqual([2, 0]);
    for (const flag of ["--rail", "--channel", "--amount", "--currency", "--operator", "--msisdn", "--bank-code", "--account-number", "--account-name"]) {
      expect(messageOf(none.stderr)).toContain(flag);
    }
    const bank = await runCli(["global", "withdraw", "--rail", "KE_BANK", "--channel", "BANK", "--bank-code", "01", "--json"], { service: serviceOf() });
    expect(messageOf(bank.stderr)).toBe("Missing: --amount, --currency, --account-number, --account-name.");
  });

  it("on a terminal, asks for the channel where there are several, and its own fields", async () => {
    const { code, requests } = await runCli(["global", "withdraw", "--yes"], {
      service: serviceOf(),
      answers: [{ choose: "Tanzania" }, { choose: "BANK" }, "1000", "01", "0099", "Duka"],
    });
    expect([code, creations(requests)]).toEqual([
      0,
      ['{"rail":"TZ_MOMO","channel":"BANK","bankCode":"01","accountNumber":"0099","accountName":"Duka","amount":1000,"currency":"TZS"}'],
    ]);
  });
});

describe("global wallet", () => {
  it("O5: an HTML error page is said as such", async () => {
    const service: Service = () => ({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" });
    const { code, stdout, stderr } = await runCli(["global", "wallet", "--json", "--retries", "0"], { service });
    expect([code, stdout]).toEqual([10, ""]);
    expect(messageOf(stderr)).toMatch(/502.*HTML/);
    expect(stderr).not.toContain("<h1>");
  });
  it("shows balances in its currency, and what it does not know", async () => {
    const { stdout } = await runCli(["global", "wallet"], { service: serviceOf() });
    for (const text of ["USD 1,234.50", "Odd"]) expect(stdout).toContain(text);
  });
});

describe("global fx", () => {
  const service: Service = ({ query }) => ({
    body: `{"success":true,"rates":{"base":"${query.get("base") ?? "KES"}","rates":{"KES":1,"USD":0.007700,"UGX":28.9},"supportedCurrencies":["KES"],"fetchedAt":"2026-03-01T08:00:00Z"}}`,
  });
  it("shows rates digit for digit", async () => {
    const { stdout, requests } = await runCli(["global", "fx", "--base", "kes", "--json"], { service });
    expect(stdout).toContain("0.007700");
    expect(requests[0]?.query.get("base")).toBe("KES");
    expect((await runCli(["global", "fx"], { service })).stdout).toContain("0.007700");
  });
  it("converts exactly, all parts as text", async () => {
    const { stdout } = await runCli(["global", "fx", "--convert", "1500.50", "--to", "usd", "--json"], { service });
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      rates: { base: "KES" },
      conversion: { amount: "1500.5", from: "KES", to: "USD", rate: "0.007700", result: "11.55" },
    });
    expect((await runCli(["global", "fx", "--convert", "1000", "--to", "UGX"], { service })).stdout).toContain("KES 1,000.00 = UGX 28,900");
  });
  it("refuses what it cannot convert", async () => {
    for (const flags of [
      ["--convert", "10"],
      ["--to", "USD"],
      ["--convert", "1,5", "--to", "USD"],
      ["--base", "A-C"],
    ]) {
      const { code, requests } = await runCli(["global", "fx", ...flags], { service });
      expect([flags, code, requests.length]).toEqual([flags, 2, 0]);
    }
    expect((await runCli(["global", "fx", "--convert", "10", "--to", "EUR"], { service })).code).toBe(2);
  });
});

import { describe, expect, test } from "vitest";
import type { Json } from "../../src/json/exact-json.ts";
import { type Route, routes } from "../../src/service/contract/routes.ts";
import type { Decoded } from "../../src/service/decode.ts";
import { judge, judgeUnknown } from "../../src/service/judge.ts";

const json = (body: Json): Decoded => ({ kind: "json", body, text: JSON.stringify(body) });
const html: Decoded = { kind: "html", body: undefined, text: "<html></html>" };
const accepted = { success: true, transactionId: "T-1", status: "PENDING" };
const failureOf = (status: number, decoded: Decoded, route: Route = routes.b2c) => {
  const verdict = judge({ status, decoded }, route);
  if (verdict.outcome === "answered") throw new Error("It was taken for an answer.");
  return { outcome: verdict.outcome, next: verdict.next, error: verdict.error };
};

describe("the status of an answer to a creation", () => {
  test.each([
    [300, "unanswered", "retry", "unavailable", false],
    [399, "unanswered", "retry", "unavailable", false],
    [400, "refused", "stop", "rejected", false],
    [401, "refused", "stop", "auth", false],
    [402, "refused", "stop", "payment-required", false],
    [403, "refused", "stop", "auth", false],
    [404, "refused", "stop", "not-found", false],
    [408, "unanswered", "retry", "unavailable", true],
    [409, "unanswered", "wait", "rejected", false],
    [422, "refused", "stop", "rejected", false],
    [429, "refused", "retry", "rejected", true],
    [499, "refused", "stop", "rejected", false],
    [500, "unanswered", "retry", "unavailable", true],
    [503, "unanswered", "retry", "unavailable", true],
  ])("%i is %s, next %s, kind %s", (status, outcome, next, kind) => {
    const failed = failureOf(status, json({ message: "No." }));
    expect([failed.outcome, failed.next, failed.error.kind, failed.error.status]).toEqual([outcome, next, kind, status]);
  });

  test("409 is final for what creates nothing", () => {
    expect(failureOf(409, json({}), routes.listTransactions)).toMatchObject({ outcome: "refused", next: "stop" });
  });

  test("only 429 is called worth repeating among the refusals", () => {
    const retryable = [400, 401, 402, 403, 404, 422, 429].filter((status) => failureOf(status, json({})).error.retryable);
    expect(retryable).toEqual([429]);
  });
});

describe("what to do about a refusal", () => {
  test.each([
    [401, "payments-cli login"],
    [402, "credits"],
    [429, "wait"],
  ])("%i names %s", (status, words) => expect(failureOf(status, json({})).error.hint).toContain(words));

  test("403 names the scope that the contract gives the endpoint", () => {
    expect(failureOf(403, json({}), routes.wallet).error.hint).toContain(routes.wallet.scope);
  });

  test("without a scope in the contract, 403 names none", () => {
    const verdict = judgeUnknown({ status: 403, decoded: json({}) }, false);
    expect(verdict).toMatchObject({ outcome: "refused", error: { kind: "auth" } });
    expect("error" in verdict && verdict.error.hint).not.toContain("undefined");
  });

  test.each([400, 404, 422])("%i has the service's words alone", (status) => {
    const { error } = failureOf(status, json({ message: "Unknown payee", code: "E7" }));
    expect([error.message, error.code, error.hint]).toEqual(["Unknown payee", "E7", undefined]);
  });

  test("words of the service about its own fault come with the status and the code", () => {
    const { error } = failureOf(503, json({ message: "Maintenance", code: "M1" }));
    expect([error.message, error.code]).toEqual(["Maintenance", "M1"]);
    expect(error.hint).toContain("503");
    expect(failureOf(503, json({})).error.hint).toBeUndefined();
    expect(failureOf(503, json({})).error.message).toContain("503");
  });

  test.each([300, 399])("%i is named a redirect and points to doctor", (status) => {
    expect(failureOf(status, html).error.message).toContain("redirect");
    expect(failureOf(status, html).error.command).toEqual(["doctor"]);
  });
});

describe("a 2xx", () => {
  test.each([200, 201, 299])("%i with what the endpoint promises is an answer", (status) => {
    expect(judge({ status, decoded: json(accepted) }, routes.b2c)).toEqual({ outcome: "answered", value: accepted });
  });

  test("199 is no answer", () => expect(failureOf(199, json(accepted)).outcome).toBe("unanswered"));

  test.each([["null"], ["undefined"], ["none"], ["nil"], ["NaN"], ["false"], ["0"], [" "], [""]])("an id of %j names no payment", (id) => {
    const failed = failureOf(200, json({ ...accepted, transactionId: id }));
    expect([failed.outcome, failed.next, failed.error.kind]).toEqual(["unanswered", "retry", "unavailable"]);
    expect(failed.error.message).toContain("transactionId");
  });

  test.each([false, "false", 0, "no", null])("success %j is never an answer", (success) => {
    const failed = failureOf(200, json({ ...accepted, success }));
    expect(failed.outcome).toBe(success === false ? "refused" : "unanswered");
    expect(failed.error.kind).toBe(success === false ? "rejected" : "unavailable");
  });

  test.each([true, "true", "1", "Y", "yes", "ok", "SUCCESS", "successful", 1])("success %j is an answer", (success) => {
    expect(judge({ status: 200, decoded: json({ ...accepted, success }) }, routes.b2c).outcome).toBe("answered");
  });

  test("one false among several in any letter case is a no, and none at all is a yes", () => {
    expect(failureOf(200, json({ ...accepted, SUCCESS: false })).outcome).toBe("refused");
    expect(judge({ status: 200, decoded: json({ transactionId: "T-1" }) }, routes.b2c).outcome).toBe("answered");
  });

  test("a page, and JSON without the name, are told apart in words", () => {
    expect(failureOf(200, html).error.message).toMatch(/HTML/i);
    expect(failureOf(200, html).error.message).not.toContain("undefined");
    expect(failureOf(200, json({ success: true, message: "Done" })).error.message).toContain("Done");
    expect(failureOf(200, json({ success: true })).error.message).not.toContain("said");
  });

  test.each<[Route, Json]>([
    [routes.listTransactions, { success: true, transactions: {} }],
    [routes.wallet, { success: true, wallet: [] }],
    [routes.wallet, { success: true, wallet: "x" }],
  ])("a field of another type than the endpoint promises is unreadable", (route, body) => {
    expect(failureOf(200, json(body), route)).toMatchObject({ outcome: "unanswered", error: { kind: "unavailable" } });
  });
});

describe("an endpoint that the contract does not know", () => {
  test("is answered by a plain 2xx, refused by a clear no", () => {
    expect(judgeUnknown({ status: 200, decoded: html }, false)).toEqual({ outcome: "answered", value: undefined });
    expect(judgeUnknown({ status: 200, decoded: json({ success: false }) }, true)).toMatchObject({ outcome: "refused", next: "stop" });
  });

  test("has no clear outcome with a success that means nothing, unless it reads", () => {
    const answer = { status: 200, decoded: json({ success: "maybe" }) };
    expect(judgeUnknown(answer, false)).toMatchObject({ outcome: "unanswered", next: "retry", error: { kind: "unavailable" } });
    expect(judgeUnknown(answer, true).outcome).toBe("answered");
  });
});

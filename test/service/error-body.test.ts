import { describe, expect, it } from "vitest";
import type { Json } from "../../src/json/exact-json.ts";
import { bodyKindOf, readErrorBody } from "../../src/service/decode.ts";

describe("an error body", () => {
  const forms: readonly (readonly [Json, { readonly code?: string; readonly message?: string }])[] = [
    [
      { code: "C", message: "M" },
      { code: "C", message: "M" },
    ],
    [
      { success: false, code: "C", message: "M", requestId: "r" },
      { code: "C", message: "M" },
    ],
    [{ error: "Text" }, { message: "Text" }],
    [{ error: { code: "C", message: "M" } }, { code: "C", message: "M" }],
    [
      { error: "INVALID_PHONE", message: "M" },
      { code: "INVALID_PHONE", message: "M" },
    ],
    [{ error: "Bad Request", message: "M" }, { message: "M" }],
    [{ error: true, message: "M" }, { message: "M" }],
    [{ errors: [{ code: "C", message: "M" }, { code: "D" }] }, { code: "C", message: "M" }],
    [{ errors: ["M", "N"] }, { message: "M" }],
    [{ errors: { phone: ["is wrong"] } }, { message: "is wrong" }],
    [{ errors: [] }, {}],
    [{ type: "about:blank", title: "Title", status: 400, detail: "Detail" }, { message: "Detail" }],
    [{ type: "about:blank", title: "Title", status: 400 }, { message: "Title" }],
    [
      { code: 1001, message: ["a", "b"] },
      { code: "1001", message: "a; b" },
    ],
    [{ message: "  " }, {}],
    [{ message: { deep: 1 } }, {}],
    ["Text", { message: "Text" }],
    [null, {}],
    [[], {}],
    [7, {}],
  ];
  it.each(forms)("%j", (body, found) => expect(readErrorBody(body)).toEqual(found));

  it("is the service's own text, bounded", () => {
    const message = "A\u001b]0;owned\u0007\r\n\u202eB\u009b31m\u200b";
    expect(readErrorBody({ message: ` ${message}\n` }).message).toBe(message);
    expect(readErrorBody({ message: message + "x".repeat(2_000) }).message?.length).toBeLessThan(510);
  });

  it.each([
    ["", "empty"],
    [" \r\n", "empty"],
    ["<!DOCTYPE html>", "html"],
    ["  <html>", "html"],
    ["<h1>Bad Gateway</h1>", "html"],
    ["<!-- x -->", "html"],
    ["upstream connect error", "text"],
    ["< 5", "text"],
  ])("%j is %s", (text, kind) => expect(bodyKindOf(text, false)).toBe(kind));
});

import { expect, test } from "vitest";
import { openUrl } from "../../src/host/open-url.ts";

test.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"])("%s is not opened", async (address) => {
  await expect(openUrl(address)).rejects.toMatchObject({ kind: "usage", message: "Only http and https addresses are opened." });
});

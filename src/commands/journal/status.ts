import type { Run } from "../../command.ts";
import type { journalStatusSpec } from "./spec.ts";

export const run: Run<typeof journalStatusSpec> = async (_input, context) => {
  const { journal, where, who, role, attempts, open } = await (await context.journal()).status();
  return {
    rows: [{ journal, where, who, role, attempts, open }],
    single: true,
    view: {
      kind: "blocks",
      blocks: () => [
        {
          kind: "card",
          pairs: [
            ["Journal", journal === "file" ? "a file on this machine" : "PostgreSQL, shared by a team"],
            ["Where", where],
            ["You are", journal === "file" ? who : `${who} (${role})`],
            ["Attempts", String(attempts)],
            ["Not settled", String(open)],
          ],
        },
      ],
    },
  };
};

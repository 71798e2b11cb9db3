import { type Entry, toEntry } from "../command.ts";
import { apiSpec } from "../commands/api/spec.ts";
import * as approvals from "../commands/approval/spec.ts";
import { b2cBatchSpec, b2cSpec, b2cStatsSpec } from "../commands/b2c/spec.ts";
import { commandsSpec } from "../commands/commands/spec.ts";
import { completionSpec } from "../commands/completion/spec.ts";
import { demoSpec } from "../commands/demo/spec.ts";
import { doctorSpec } from "../commands/doctor/spec.ts";
import * as globals from "../commands/global/spec.ts";
import * as journals from "../commands/journal/spec.ts";
import { loginSpec } from "../commands/login/spec.ts";
import { mcpSpec } from "../commands/mcp/spec.ts";
import * as profiles from "../commands/profile/spec.ts";
import { sandboxSpec } from "../commands/sandbox/spec.ts";
import { schemaSpec } from "../commands/schema/spec.ts";
import { stkSpec } from "../commands/stk/spec.ts";
import * as tx from "../commands/tx/spec.ts";
import * as layouts from "../commands/tx/spec-layout.ts";
import { txReconcileSpec } from "../commands/tx/spec-reconcile.ts";
import { walletSpec } from "../commands/wallet/spec.ts";
import * as webhooks from "../commands/webhook/spec.ts";
import { whoamiSpec } from "../commands/whoami/spec.ts";
import type { EndpointName, routes } from "../service/contract/routes.ts";
import { globalFlags } from "./global-flags.ts";

/** One of the commands that share a module. */
const part =
  <M, Name extends keyof M>(load: () => Promise<M>, name: Name) =>
  async () => ({ run: (await load())[name] });

const profile = () => import("../commands/profile/profile.ts");
const journal = () => import("../commands/journal/journal.ts");
const approval = () => import("../commands/approval/approval.ts");
const layout = () => import("../commands/tx/layout.ts");
const showObject = async (name: EndpointName) => ({ run: (await import("../commands/show-object.ts")).createRun(name) });

/** Every command, in the groups of the help: its spec beside the module that runs it, imported on first use only. One line a command. */
const groups = {
  "Take money": [toEntry(stkSpec, () => import("../commands/stk/stk.ts")), toEntry(globals.globalCollectSpec, () => import("../commands/global/collect.ts"))],
  "Send money": [
    toEntry(b2cSpec, () => import("../commands/b2c/b2c.ts")),
    toEntry(b2cBatchSpec, () => import("../commands/b2c/batch.ts")),
    toEntry(globals.globalWithdrawSpec, () => import("../commands/global/withdraw.ts")),
  ],
  "Look up": [
    toEntry(tx.txListSpec, () => import("../commands/tx/list.ts")),
    toEntry(tx.txGetSpec, () => import("../commands/tx/get.ts")),
    toEntry(tx.txWatchSpec, () => import("../commands/tx/watch.ts")),
    toEntry(tx.txSyncSpec, () => import("../commands/tx/sync.ts")),
    toEntry(tx.txFindSpec, () => import("../commands/tx/find.ts")),
    toEntry(tx.txExplainSpec, () => import("../commands/tx/explain.ts")),
    toEntry(txReconcileSpec, () => import("../commands/tx/reconcile.ts")),
    toEntry(layouts.txLayoutListSpec, part(layout, "list")),
    toEntry(layouts.txLayoutShowSpec, part(layout, "show")),
    toEntry(layouts.txLayoutSaveSpec, part(layout, "save")),
    toEntry(layouts.txLayoutRemoveSpec, part(layout, "remove")),
    toEntry(walletSpec, () => showObject("wallet")),
    toEntry(b2cStatsSpec, () => showObject("b2cStats")),
    toEntry(globals.globalProvidersSpec, () => import("../commands/global/providers.ts")),
    toEntry(globals.globalWalletSpec, () => showObject("globalWallet")),
    toEntry(globals.globalFxSpec, () => import("../commands/global/fx.ts")),
  ],
  "Approve: payments that were proposed": [
    toEntry(approvals.approvalListSpec, part(approval, "list")),
    toEntry(approvals.approvalShowSpec, part(approval, "show")),
    toEntry(approvals.approvalApproveSpec, () => import("../commands/approval/approve.ts")),
    toEntry(approvals.approvalDeclineSpec, part(approval, "decline")),
    toEntry(approvals.approvalCancelSpec, part(approval, "cancel")),
    toEntry(approvals.approvalPolicySpec, part(approval, "policy")),
  ],
  "Journal: payments made from this machine, or by your team": [
    toEntry(journals.journalListSpec, part(journal, "list")),
    toEntry(journals.journalShowSpec, part(journal, "show")),
    toEntry(journals.journalResumeSpec, () => import("../commands/journal/resume.ts")),
    toEntry(journals.journalPruneSpec, part(journal, "prune")),
    toEntry(journals.journalSetupSpec, () => import("../commands/journal/setup.ts")),
    toEntry(journals.journalImportSpec, part(journal, "importFile")),
    toEntry(journals.journalStatusSpec, part(journal, "status")),
  ],
  Callbacks: [
    toEntry(webhooks.webhookListenSpec, () => import("../commands/webhook/listen.ts")),
    toEntry(webhooks.webhookVerifySpec, () => import("../commands/webhook/verify.ts")),
    toEntry(webhooks.webhookReplaySpec, () => import("../commands/webhook/replay.ts")),
  ],
  Settings: [
    toEntry(loginSpec, () => import("../commands/login/login.ts")),
    toEntry(profiles.logoutSpec, part(profile, "logout")),
    toEntry(whoamiSpec, () => import("../commands/whoami/whoami.ts")),
    toEntry(profiles.profileListSpec, part(profile, "list")),
    toEntry(profiles.profileUseSpec, part(profile, "use")),
    toEntry(profiles.profileSetSpec, () => import("../commands/profile/set.ts")),
    toEntry(profiles.profileRemoveSpec, part(profile, "remove")),
  ],
  "Try and build": [
    toEntry(demoSpec, () => import("../commands/demo/demo.ts")),
    toEntry(sandboxSpec, () => import("../commands/sandbox/sandbox.ts")),
    toEntry(apiSpec, () => import("../commands/api/api.ts")),
    toEntry(doctorSpec, () => import("../commands/doctor/doctor.ts")),
    toEntry(completionSpec, () => import("../commands/completion/completion.ts")),
    toEntry(schemaSpec, () => import("../commands/schema/schema.ts")),
    toEntry(commandsSpec, async () => ({ run: (await import("../commands/commands/commands.ts")).createRun(registry, globalFlags) })),
    toEntry(mcpSpec, async () => ({ run: (await import("../commands/mcp/mcp.ts")).createRun(registry.map(({ spec }) => spec)) })),
  ],
};

type Words<Path> = Path extends readonly [infer First extends string, ...infer Rest] ? (Rest extends readonly [] ? First : `${First} ${Words<Rest>}`) : never;
type Grouped = (typeof groups)[keyof typeof groups][number];
/** The commands of the contract's endpoints that are not here: while there is one, the registry does not compile. */
type Missing = Exclude<(typeof routes)[EndpointName]["command"], Words<Grouped["spec"]["path"]>>;
const entries: readonly Entry[] = Object.entries(groups).flatMap(([group, commands]) => commands.map((entry): Entry => ({ ...entry, group })));
export const registry: readonly Entry[] = entries satisfies [Missing] extends [never] ? readonly Entry[] : Missing;

import type { Entry } from "../command.ts";
import { apiSpec } from "../commands/api/spec.ts";
import { b2cSpec, b2cStatsSpec } from "../commands/b2c/spec.ts";
import { b2cBatchSpec } from "../commands/b2c/spec-batch.ts";
import { commandsSpec } from "../commands/commands/spec.ts";
import { completionSpec } from "../commands/completion/spec.ts";
import { demoSpec } from "../commands/demo/spec.ts";
import { doctorSpec } from "../commands/doctor/spec.ts";
import { globalCollectSpec, globalFxSpec, globalProvidersSpec, globalWalletSpec, globalWithdrawSpec } from "../commands/global/spec.ts";
import { journalListSpec, journalPruneSpec, journalResumeSpec, journalShowSpec } from "../commands/journal/spec.ts";
import { loginSpec } from "../commands/login/spec.ts";
import { logoutSpec } from "../commands/logout/spec.ts";
import { profileListSpec, profileRemoveSpec, profileSetSpec, profileUseSpec } from "../commands/profile/spec.ts";
import { sandboxSpec } from "../commands/sandbox/spec.ts";
import { schemaSpec } from "../commands/schema/spec.ts";
import { stkSpec } from "../commands/stk/spec.ts";
import { txGetSpec, txListSpec } from "../commands/tx/spec.ts";
import { txExplainSpec } from "../commands/tx/spec-explain.ts";
import { txFindSpec } from "../commands/tx/spec-find.ts";
import { txReconcileSpec } from "../commands/tx/spec-reconcile.ts";
import { txSyncSpec } from "../commands/tx/spec-sync.ts";
import { txWatchSpec } from "../commands/tx/spec-watch.ts";
import { walletSpec } from "../commands/wallet/spec.ts";
import { webhookListenSpec, webhookReplaySpec, webhookVerifySpec } from "../commands/webhook/spec.ts";
import { whoamiSpec } from "../commands/whoami/spec.ts";
import { globalFlags } from "./global-flags.ts";

/** Every command: its spec beside the module that runs it, imported on first use only. One line a command. */
export const registry: readonly Entry[] = [
  { spec: stkSpec, load: () => import("../commands/stk/stk.ts") },
  { spec: b2cSpec, load: () => import("../commands/b2c/b2c.ts") },
  { spec: b2cStatsSpec, load: () => import("../commands/b2c/stats.ts") },
  { spec: b2cBatchSpec, load: () => import("../commands/b2c/batch.ts") },
  { spec: txListSpec, load: () => import("../commands/tx/list.ts") },
  { spec: txGetSpec, load: () => import("../commands/tx/get.ts") },
  { spec: txWatchSpec, load: () => import("../commands/tx/watch.ts") },
  { spec: txSyncSpec, load: () => import("../commands/tx/sync.ts") },
  { spec: txFindSpec, load: () => import("../commands/tx/find.ts") },
  { spec: txExplainSpec, load: () => import("../commands/tx/explain.ts") },
  { spec: txReconcileSpec, load: () => import("../commands/tx/reconcile.ts") },
  { spec: walletSpec, load: () => import("../commands/wallet/wallet.ts") },
  { spec: globalProvidersSpec, load: () => import("../commands/global/providers.ts") },
  { spec: globalCollectSpec, load: () => import("../commands/global/collect.ts") },
  { spec: globalWithdrawSpec, load: () => import("../commands/global/withdraw.ts") },
  { spec: globalWalletSpec, load: () => import("../commands/global/wallet.ts") },
  { spec: globalFxSpec, load: () => import("../commands/global/fx.ts") },
  { spec: loginSpec, load: () => import("../commands/login/login.ts") },
  { spec: logoutSpec, load: () => import("../commands/logout/logout.ts") },
  { spec: whoamiSpec, load: () => import("../commands/whoami/whoami.ts") },
  { spec: profileListSpec, load: () => import("../commands/profile/list.ts") },
  { spec: profileUseSpec, load: () => import("../commands/profile/use.ts") },
  { spec: profileSetSpec, load: () => import("../commands/profile/set.ts") },
  { spec: profileRemoveSpec, load: () => import("../commands/profile/remove.ts") },
  { spec: journalListSpec, load: () => import("../commands/journal/list.ts") },
  { spec: journalShowSpec, load: () => import("../commands/journal/show.ts") },
  { spec: journalResumeSpec, load: () => import("../commands/journal/resume.ts") },
  { spec: journalPruneSpec, load: () => import("../commands/journal/prune.ts") },
  { spec: webhookListenSpec, load: () => import("../commands/webhook/listen.ts") },
  { spec: webhookVerifySpec, load: () => import("../commands/webhook/verify.ts") },
  { spec: webhookReplaySpec, load: () => import("../commands/webhook/replay.ts") },
  { spec: sandboxSpec, load: () => import("../commands/sandbox/sandbox.ts") },
  { spec: demoSpec, load: () => import("../commands/demo/demo.ts") },
  { spec: apiSpec, load: () => import("../commands/api/api.ts") },
  { spec: doctorSpec, load: () => import("../commands/doctor/doctor.ts") },
  { spec: completionSpec, load: () => import("../commands/completion/completion.ts") },
  { spec: schemaSpec, load: () => import("../commands/schema/schema.ts") },
  { spec: commandsSpec, load: async () => ({ run: (await import("../commands/commands/commands.ts")).createRun(registry, globalFlags) }) },
];

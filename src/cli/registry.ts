import type { Entry } from "../kernel/command.ts";

/** Every command: its spec beside the module that runs it, imported on first use only. One line a command. */
export const registry: readonly Entry[] = [];

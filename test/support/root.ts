import { spawnSync } from "node:child_process";

/** Whether a command can be run in mounts and a network of its own (`unshare -nm`, Linux, as root): nothing outside is touched. */
export const canUnshare = spawnSync("unshare", ["-nm", "true"]).status === 0;

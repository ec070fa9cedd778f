/** `npm start`: sets everything up, starts the daemon and opens the page. `npm start -- <command>` runs any command. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installDependencies, root } from "./setup.mjs";

checkNode();
await installDependencies();
const isNew = await build();
const args = process.argv.slice(2);
// Replaces a daemon of an older build; sessions are not affected.
if (isNew) spawnSync(process.execPath, [join(root, "dist/amux.cjs"), "daemon", "stop"], { stdio: "ignore" });
const result = spawnSync(process.execPath, [join(root, "dist/amux.cjs"), ...(args.length > 0 ? args : ["open"])], {
  stdio: "inherit",
});
process.exit(result.status ?? 1);

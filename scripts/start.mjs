/** `npm start`: sets everything up, then shows every session found on this machine. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installDependencies, root } from "./setup.mjs";

checkNode();
installDependencies();
build();
const args = process.argv.slice(2);
const result = spawnSync(
  process.execPath,
  [join(root, "dist/amux.js"), ...(args.length > 0 ? args : ["sessions", "list"])],
  { stdio: "inherit" },
);
process.exit(result.status ?? 1);

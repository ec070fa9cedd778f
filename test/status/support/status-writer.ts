/**
 * Counts in a status file: `<directory> <session> <own name> <times>`. It says that it is there, begins when its input ends, and
 * prints how many changes were refused.
 */
import { readFileSync } from "node:fs";
import { asObject } from "../../../src/lib/json/fields.ts";
import { StatusStore } from "../../../src/status/status-store.ts";

const [directory = "", session = "", own = "", times = ""] = process.argv.slice(2);
const store = new StatusStore(directory);
process.stdout.write("ready\n");
readFileSync(0);
let refused = 0;
for (let done = 0; done < Number(times); done++) {
  const written = store.update(
    session,
    (file) => {
      const agents = asObject(file["agents"]) ?? {};
      const mine = asObject(agents[own]) ?? {};
      const changes = ((mine["changes"] as number | undefined) ?? 0) + 1;
      return { ...file, agents: { ...agents, [own]: { ...mine, status: "working", timestamp: done, changes } } };
    },
    60_000,
  );
  if (written === undefined) refused++;
}
process.stdout.write(`${refused}\n`);

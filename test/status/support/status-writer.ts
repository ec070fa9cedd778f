/** Counts in a status file: `<directory> <session> <own name> <times>`. Prints how many changes were refused. */
import { asObject } from "../../../src/lib/json/fields.ts";
import { StatusStore } from "../../../src/status/status-store.ts";

const [directory = "", session = "", own = "", times = ""] = process.argv.slice(2);
const store = new StatusStore(directory);
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

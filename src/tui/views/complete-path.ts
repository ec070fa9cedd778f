/** Completes a typed directory as shells do. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { resolveHome, type PathEnv } from "../../lib/fs/paths.ts";

export interface Completed {
  text: string;
  /** The candidates, if there are several. */
  choices: string[];
}

/** The longest common prefix of all candidates; a single one gets a slash. */
export function completePath(env: PathEnv, typed: string): Completed {
  const isInside = typed.endsWith("/");
  const start = isInside ? "" : basename(typed);
  const parent = isInside ? typed : typed.slice(0, typed.length - start.length);
  const names = directoriesIn(resolveHome(env, parent === "" ? "." : dirname(join(parent, "x")))).filter(
    (name) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")),
  );
  const [first, ...others] = names;
  if (first === undefined) return { text: typed, choices: [] };
  if (others.length === 0) return { text: `${parent}${first}/`, choices: [] };
  let length = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, length))) length--;
  return { text: `${parent}${first.slice(0, length)}`, choices: names };
}

function directoriesIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return []; // An unreadable directory has no completions.
  }
}

/** Completes a typed directory as shells do. */
import { directoryCompletions } from "../../lib/fs/complete-directory.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";

export interface Completed {
  text: string;
  /** The candidates, if there are several. */
  choices: string[];
}

/** The longest common prefix of all candidates; a single one gets a slash. */
export async function completePath(env: PathEnv, typed: string): Promise<Completed> {
  const { parent, names } = await directoryCompletions(env, typed);
  const [first, ...others] = names;
  if (first === undefined) return { text: typed, choices: [] };
  if (others.length === 0) return { text: `${parent}${first}/`, choices: [] };
  let length = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, length))) length--;
  return { text: `${parent}${first.slice(0, length)}`, choices: names };
}

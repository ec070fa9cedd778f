/**
 * Which sessions a used-up budget stops: `budget-stops.json` in amux's home, written by every check and read by the hook program,
 * which has no time to add up costs. Old or unreadable, it stops nothing: a wrong stop is worse than a late one.
 */
import { join } from "node:path";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { asNumber, asObjects, asText } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";

/** The daemon checks every minute. */
const VALID_MS = 10 * 60_000;

const MAX_BYTES = 256 * 1024;

export interface BudgetStop {
  /** The agent's own session id; absent for all sessions. */
  session?: string;
  project?: string;
  text: string;
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

export function writeStops(home: string, stops: readonly BudgetStop[], now: number): void {
  ensurePrivateDirectory(home);
  writeFileAtomic(join(home, "budget-stops.json"), `${JSON.stringify({ at: now, stops })}\n`);
}

/** The reason to stop this session. Never throws. */
export function stopFor(
  home: string,
  { session, cwd }: { session?: string; cwd?: string },
  now: number,
): string | undefined {
  let fields;
  try {
    fields = parseObject(readText(join(home, "budget-stops.json"), MAX_BYTES));
  } catch {
    return undefined; // Without budgets there is none.
  }
  const at = asNumber(fields?.["at"]) ?? 0;
  if (at < now - VALID_MS || at > now + VALID_MS) return undefined;
  const found = asObjects(fields?.["stops"]).find((stop) => {
    const [own, project] = [asText(stop["session"]), asText(stop["project"])];
    return (
      (own === undefined || own === session) && (project === undefined || (cwd !== undefined && isBelow(cwd, project)))
    );
  });
  return asText(found?.["text"]);
}

/**
 * Which sessions a used-up budget stops: `budget-stops.json` in amux's home, written by every check and read by the hook program,
 * which has no time to add up costs. Too old, it stops nothing: a wrong stop is worse than a late one.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { asNumber, asObjects, asText, type Json } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";

/** The daemon checks every minute. */
const VALID_MS = 10 * 60_000;

const MAX_BYTES = 256 * 1024;

export interface BudgetStop {
  /** Absent for all agents, and for all accounts. */
  agent?: string;
  account?: string;
  /** The agent's own session id; absent for all sessions. */
  session?: string;
  project?: string;
  text: string;
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

export function writeStops(home: string, stops: readonly BudgetStop[], now: number): void {
  const path = join(home, "budget-stops.json");
  if (stops.length === 0) return rmSync(path, { force: true });
  ensurePrivateDirectory(home);
  // Those that stop most come first: the reader takes no larger file.
  const sorted = stops.toSorted((a, b) => Number(a.session !== undefined) - Number(b.session !== undefined));
  let bytes = MAX_BYTES - 100;
  const kept = sorted.filter((stop) => (bytes -= Buffer.byteLength(JSON.stringify(stop)) + 1) > 0);
  writeFileAtomic(path, `${JSON.stringify({ at: now, stops: kept })}\n`);
}

export interface Stoppable {
  agent: string;
  /** Asked for only if a stop is for one account. */
  account: () => string | undefined;
  session?: string;
  cwd?: string;
}

/** The reason to stop this session. Throws if the file is there and cannot be read. */
export function stopFor(home: string, who: Stoppable, now: number): string | undefined {
  let text;
  try {
    text = readText(join(home, "budget-stops.json"), MAX_BYTES);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const fields = parseObject(text);
  const at = asNumber(fields?.["at"]) ?? 0;
  if (at < now - VALID_MS || at > now + VALID_MS) return undefined;
  return asText(asObjects(fields?.["stops"]).find((stop) => isFor(stop, who))?.["text"]);
}

function isFor(stop: Json, { agent, account, session, cwd }: Stoppable): boolean {
  const project = asText(stop["project"]);
  const isSame = (name: string, own: () => string | undefined): boolean => {
    const wanted = asText(stop[name]);
    return wanted === undefined || wanted === own();
  };
  return (
    isSame("agent", () => agent) &&
    isSame("session", () => session) &&
    (project === undefined || (cwd !== undefined && isBelow(cwd, project))) &&
    isSame("account", account)
  );
}

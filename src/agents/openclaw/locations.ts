/** The file locations of OpenClaw and its predecessors. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/fs/directory.ts";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** Newest name first; builds of 2026 still read all of these, including the misspelled one. */
const STATE_NAMES = [".openclaw", ".clawdbot", ".moltbot", ".moldbot"] as const;

/** The products with profiles. */
const PROFILED_NAMES = [".openclaw", ".clawdbot"] as const;

export interface StateDirectory {
  path: string;
  /** For `openclaw --profile <name>`, which has its own state directory. */
  profile?: string;
}

/**
 * Possible state directories, the active one first. One set by a variable is the only one; otherwise profiles and
 * predecessors are included. `OPENCLAW_HOME` moves the home, not the state directory.
 */
export function stateDirectories(env: AgentEnv): StateDirectory[] {
  return withoutLinksToTheSame(possibleDirectories(env));
}

export function locations(env: AgentEnv): string[] {
  return possibleDirectories(env).map(({ path }) => path);
}

function possibleDirectories(env: AgentEnv): StateDirectory[] {
  const set = directoryFrom(env, "OPENCLAW_STATE_DIR") ?? directoryFrom(env, "CLAWDBOT_STATE_DIR");
  if (set !== undefined) return [{ path: set }];

  const home = directoryFrom(env, "OPENCLAW_HOME") ?? env.home;
  const found: StateDirectory[] = [];
  const chosen = env.vars["OPENCLAW_PROFILE"];
  if (chosen !== undefined && isProfileName(chosen)) found.push(profileDirectory(home, ".openclaw", chosen));
  for (const name of STATE_NAMES) found.push({ path: join(home, name) });
  found.push(...profileDirectories(home));
  return found;
}

function profileDirectories(home: string): StateDirectory[] {
  const found: StateDirectory[] = [];
  for (const { name } of entriesOf(home)) {
    const product = PROFILED_NAMES.find((one) => name.startsWith(`${one}-`));
    const profile = product && name.slice(product.length + 1);
    if (product !== undefined && isProfileName(profile)) found.push(profileDirectory(home, product, profile));
  }
  return found;
}

function profileDirectory(home: string, product: string, profile: string): StateDirectory {
  return { path: join(home, `${product}-${profile}`), profile };
}

/** `default` is the state directory without a suffix; names with separators are refused. */
function isProfileName(name: string | undefined): name is string {
  return name !== undefined && name !== "default" && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}

/** Migration from a predecessor leaves its directory as a link to the new one. */
function withoutLinksToTheSame(directories: StateDirectory[]): StateDirectory[] {
  const seen = new Set<string>();
  return directories.filter(({ path }) => {
    const real = realPathOf(path);
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Usually only one of them exists.
    return path;
  }
}

/** The files of one agent: a database (since 2026.7.2), or transcripts with an index. */
export interface AgentDirectory {
  agentId: string;
  /** Absent in the layout before multiple agents. */
  database?: string;
  /** Live transcripts and `sessions.json` before the database; archives since. */
  transcripts: string;
  /** Transcripts imported into the database. */
  imported?: string;
}

const DEFAULT_AGENT = "main";

export function agentDirectories(
  state: StateDirectory,
  onProblem: (path: string, reason: string) => void,
): AgentDirectory[] {
  const agents = join(state.path, "agents");
  const found: AgentDirectory[] = [];
  for (const entry of entriesOf(agents, onProblem)) {
    if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
    const directory = join(agents, entry.name);
    found.push({
      agentId: entry.name,
      database: join(directory, "agent", "openclaw-agent.sqlite"),
      transcripts: join(directory, "sessions"),
      imported: join(directory, "session-sqlite-import-archive"),
    });
  }
  // Before multiple agents, transcripts were directly in the state directory.
  found.push({ agentId: DEFAULT_AGENT, transcripts: topSessions(state) });
  return found;
}

/** The oldest transcripts, and the documented `<channel>/<session-id>.json` layout. */
export function topSessions(state: StateDirectory): string {
  return join(state.path, "sessions");
}

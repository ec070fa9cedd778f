/** Whether an agent is installed, its version, and whether it looks signed in. Local and read-only. */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { fileStat } from "../lib/fs/directory.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { printedVersion } from "../lib/process/version.ts";
import { oneLine } from "../lib/text/text.ts";
import { environmentFor } from "./program.ts";

export interface AuthState {
  /** `unknown`: no sign-in was found; it may be in a keychain. */
  status: "authenticated" | "unauthenticated" | "unknown";
  method: "api_key" | "token_file" | "none";
  /** The variable or the file that was found. */
  details?: string;
  guidance: string;
}

export interface InstalledAgent {
  agent: string;
  displayName: string;
  /** Made from the program's published source, without recordings of it. */
  experimental: boolean;
  installed: boolean;
  cliPath: string | null;
  version: string | null;
  authState: AuthState | null;
  capabilities: AgentAbilities;
}

/** What the agent supports. */
export interface AgentAbilities {
  canRun: boolean;
  canResume: boolean;
  canFork: boolean;
  streamsText: boolean;
  asksForApproval: boolean;
  sessionPersistence: string;
  /** Run options that it honours. */
  runOptions: readonly string[];
}

const MAX_VERSION_LENGTH = 60;

/** Agents leave a file with `{}` before the first sign-in and after sign-out. */
const EMPTY_BYTES = 8;

export async function detectAgent(adapter: AgentAdapter, env: AgentEnv): Promise<InstalledAgent> {
  const cliPath = findOnPath(adapter.command, env.vars) ?? null;
  return {
    agent: adapter.name,
    displayName: adapter.displayName,
    experimental: adapter.isExperimental === true,
    installed: cliPath !== null,
    cliPath,
    version: cliPath === null ? null : await versionOf(cliPath, env),
    authState: authStateOf(adapter, env),
    capabilities: {
      canRun: adapter.run !== undefined,
      canResume: adapter.capabilities.canResume,
      canFork: adapter.capabilities.canFork,
      streamsText: adapter.run?.streamsText ?? false,
      asksForApproval: adapter.run?.approvals === true,
      sessionPersistence: adapter.capabilities.sessionPersistence,
      runOptions: adapter.run?.honours ?? [],
    },
  };
}

function authStateOf(adapter: AgentAdapter, env: AgentEnv): AuthState | null {
  const credentials = adapter.run?.credentials;
  if (!credentials) return null;
  const { guidance } = credentials;
  const variable = credentials.variables.find((name) => (env.vars[name] ?? "") !== "");
  if (variable !== undefined) return { status: "authenticated", method: "api_key", details: variable, guidance };
  const file = credentials.files(env).find((path) => (fileStat(path)?.size ?? 0) > EMPTY_BYTES);
  if (file !== undefined) return { status: "authenticated", method: "token_file", details: file, guidance };
  // macOS keeps tokens in the keychain, which is not read.
  return { status: env.platform === "darwin" ? "unknown" : "unauthenticated", method: "none", guidance };
}

async function versionOf(program: string, env: AgentEnv): Promise<string | null> {
  const { stdout = "", stderr = "" } = (await printedVersion(program, environmentFor(env))) ?? {};
  return firstLine(stdout) || firstLine(stderr) || null;
}

/** The rest is advice. */
function firstLine(text: string): string {
  return oneLine(/\S.*/.exec(text)?.[0] ?? "").slice(0, MAX_VERSION_LENGTH);
}

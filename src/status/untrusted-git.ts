/**
 * Runs git in untrusted directories. A repository's configuration can name programs for git to run: all are disabled here.
 * Commands the user gives are ordinary git.
 */
import { delimiter, isAbsolute } from "node:path";
import { askProgram, ProgramFailed } from "../lib/process/ask-program.ts";
import { externalEnv } from "../lib/process/external-env.ts";
import { optional } from "../lib/values/optional.ts";

/** Large repositories on slow disks need a second; a hanging network file system must not block us. */
const GIT_MS = 5000;

/** Settings and references can be links to files without end. */
export const GIT_MB = 1024;

/** Undefined outside of a repository, and if git is missing, fails or takes too long. */
export async function untrustedGit(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    return await (
      await untrustedRepository(cwd)
    )(args);
  } catch (error) {
    if (error instanceof ProgramFailed) return undefined;
    throw error;
  }
}

export interface GitLook {
  /** Time for a large comparison. */
  timeoutMs?: number;
  /** Our own copy of the index, which git may change. */
  indexFile?: string;
  /** Harmless settings that this command needs. */
  settings?: Settings;
  /** Ends it early. */
  signal?: AbortSignal;
}

/** Throws ProgramFailed. */
export type LookingGit = (args: readonly string[], look?: GitLook) => Promise<string>;

/** For several commands in one directory: its settings are read once. */
export async function untrustedRepository(cwd: string): Promise<LookingGit> {
  const own = await git(cwd, ["config", "--list", "--name-only", "-z"], SWITCHED_OFF);
  const settings = { ...SWITCHED_OFF, ...programsIn(own.split("\0")) };
  return (args, look) => git(cwd, args, { ...look?.settings, ...settings }, look);
}

type Settings = Readonly<Record<string, string>>;

function git(
  cwd: string,
  args: readonly string[],
  settings: Settings,
  { timeoutMs = GIT_MS, indexFile, signal }: GitLook = {},
): Promise<string> {
  // Also as arguments: git before 2.31 does not know the variables. A key with = can only be set by those.
  const given = Object.entries(settings).flatMap(([key, value]) =>
    key.includes("=") ? [] : ["-c", `${key}=${value}`],
  );
  const env = { ...lookingEnv(settings), ...optional("GIT_INDEX_FILE", indexFile) };
  // git goes there itself: starting a program in a directory that does not answer blocks the process that starts it.
  const all = ["-C", cwd, "--no-pager", ...given, ...args];
  return askProgram("git", { args: all, cwd: "/", env, timeoutMs, maxMemoryMb: GIT_MB, ...optional("signal", signal) });
}

/**
 * Environment for git and programs that run git, such as `gh`: overrides the repository's settings and allows no protocol, index
 * lock or prompt. Of the caller's GIT_ variables only the configuration's location is passed on.
 */
export function lookingEnv(settings: Settings = SWITCHED_OFF): NodeJS.ProcessEnv {
  const kept = Object.entries(externalEnv()).filter(([name]) => !name.startsWith("GIT_") || USERS_OWN.includes(name));
  const numbered = Object.entries(settings).flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  // A relative entry would find programs in the directory that is looked at.
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(numbered),
    PATH: path.join(delimiter),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    // A partial clone fetches missing objects, and a remote's address can be a command.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "false",
    GIT_SSH_COMMAND: "false",
    GIT_EDITOR: "false",
    GIT_PAGER: "cat",
    GH_PROMPT_DISABLED: "1",
    GH_PAGER: "cat",
    LC_ALL: "C",
  };
}

const USERS_OWN = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** Keys with fixed names that run a program. */
const SWITCHED_OFF: Settings = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.editor": "false",
  "core.askPass": "false",
  "core.sshCommand": "false",
  "core.gitProxy": "",
  "core.alternateRefsCommand": "",
  "credential.helper": "",
  "diff.external": "",
  "gc.auto": "0",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "",
  "interactive.diffFilter": "",
  "log.showSignature": "false",
  "maintenance.auto": "false",
  "safe.bareRepository": "explicit",
  "sequence.editor": "false",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
};

/** Keys that run a program under a name the repository chose: filters, drivers, helpers. */
const NAMED =
  /^(?:filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|credential\..*\.helper|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\..*\.program|pager\..*)$/is;
/** A required filter without a program would be an error. */
const REQUIRED = /^filter\..*\.required$/is;

function programsIn(keys: readonly string[]): Settings {
  const found = keys.flatMap((key): [string, string][] => {
    if (REQUIRED.test(key)) return [[key, "false"]];
    return NAMED.test(key) ? [[key, ""]] : [];
  });
  return Object.fromEntries(found);
}

/**
 * git for looking at directories that nobody vouched for. A repository's own configuration can name programs for git to
 * run: all of them are switched off here. Commands that the user gives are ordinary git and do not come this way.
 */
import { askProgram, ProgramFailed } from "../lib/process/ask-program.ts";
import { outsideEnv } from "../lib/process/outside-env.ts";

/** Large repositories on slow disks need a second; a hanging network file system more than anyone waits. */
const GIT_MS = 5000;

/** Undefined outside of a repository, and when git is not there, fails or takes too long. */
export async function lookWithGit(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    const own = await git(cwd, ["config", "--list", "--name-only", "-z"], SWITCHED_OFF);
    return await git(cwd, args, { ...SWITCHED_OFF, ...programsIn(own.split("\0")) });
  } catch (error) {
    if (error instanceof ProgramFailed) return undefined;
    throw error;
  }
}

type Settings = Readonly<Record<string, string>>;

function git(cwd: string, args: readonly string[], settings: Settings): Promise<string> {
  // Also as arguments: git before 2.31 does not know the variables. A key with = in it can only be named by those.
  const given = Object.entries(settings).flatMap(([key, value]) =>
    key.includes("=") ? [] : ["-c", `${key}=${value}`],
  );
  const env = lookingEnv(settings);
  return askProgram("git", { args: ["--no-pager", ...given, ...args], cwd, env, timeoutMs: GIT_MS });
}

/**
 * For git and for programs that run git themselves, such as `gh`: settings that win over the repository's own, no
 * protocol allowed, no lock on the index, no question on the terminal, one language. Nothing of the caller's own GIT_
 * variables is passed on but where the user's configuration lies.
 */
export function lookingEnv(settings: Settings = SWITCHED_OFF): NodeJS.ProcessEnv {
  const kept = Object.entries(outsideEnv()).filter(([name]) => !name.startsWith("GIT_") || USERS_OWN.includes(name));
  const numbered = Object.entries(settings).flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    // A partial clone fetches what is missing, and a remote's address can be a command.
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

/** Keys that run a program and have one fixed name. */
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

/** Keys that run a program and carry a name the repository chose: filters, drivers, helpers. */
const NAMED =
  /^(?:filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|credential\..*\.helper|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\..*\.program|pager\..*)$/is;
/** A filter that must work and has no program any more would be an error. */
const REQUIRED = /^filter\..*\.required$/is;

function programsIn(keys: readonly string[]): Settings {
  const found = keys.flatMap((key): [string, string][] => {
    if (REQUIRED.test(key)) return [[key, "false"]];
    return NAMED.test(key) ? [[key, ""]] : [];
  });
  return Object.fromEntries(found);
}

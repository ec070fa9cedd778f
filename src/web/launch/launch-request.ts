/** What the launch dialog asks the daemon for. */
import type { PermissionMode } from "../../core/permission-mode.ts";
import type { LaunchRequest } from "../../protocol/daemon-api.ts";
import type { Agent } from "../state/agents.ts";
import { splitWords } from "./split-arguments.ts";

/** No agent: the user's shell, or a command. */
export const SHELL = "";

/** Characters that git does not allow in a branch name. */
const NO_BRANCH = /^-|[\s~^:?*[\\]/;

export interface Draft {
  /** Undefined until one is chosen. */
  agent?: string;
  /** A peer; empty for this machine. */
  machine: string;
  folder: string;
  prompt: string;
  model: string;
  mode: PermissionMode | "";
  name: string;
  /** Extra arguments, or the command. */
  flags: string;
  branch: string;
}

/** Why it cannot be started, as far as the page knows. */
export function problemOf({ branch }: Draft): string | undefined {
  if (!NO_BRANCH.test(branch.trim())) return undefined;
  return `“${branch.trim()}” cannot be a branch name: leave out spaces and ~ ^ : ? * [ \\, and begin with a letter.`;
}

/** Leaves out what the chosen agent cannot be given. */
export function requestOf(draft: Draft & { agent: string }, start: Agent["start"]): LaunchRequest {
  const { agent, machine, folder, prompt, model, mode, name, flags, branch } = draft;
  const words = splitWords(flags);
  return {
    cwd: folder,
    ...(branch.trim() === "" ? {} : { worktree: { branch: branch.trim() } }),
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(machine === "" ? {} : { peer: machine }),
    ...(agent === SHELL
      ? words.length === 0
        ? {}
        : { command: words }
      : {
          agent,
          args: words,
          ...(start?.prompt === true && prompt.trim() !== "" ? { prompt: prompt.trim() } : {}),
          ...(start !== undefined && model.trim() !== "" ? { model: model.trim() } : {}),
          ...(mode !== "" && start?.modes.includes(mode) === true ? { permission_mode: mode } : {}),
        }),
  };
}

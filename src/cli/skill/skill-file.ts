/** Where agents read the skill, and writing and removing it there. */
import { rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentAdapter } from "../../agents/adapter.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf, isMissing } from "../../lib/fs/directory.ts";
import { FileRefused, readText } from "../../lib/fs/foreign-file.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { processEnv, workingDirectory } from "../../lib/fs/paths.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { usageError, type Invocation, type OptionSpec } from "../command.ts";
import { isOurs, SKILL } from "./skill-text.ts";

export const PROJECT_OPTION: OptionSpec = {
  name: "project",
  description: "in this directory's own settings, not in the user's",
};

/** `edited`: someone changed it, or it was never ours. */
export type SkillState = "absent" | "installed" | "outdated" | "edited";

export interface SkillPlace {
  adapter: AgentAdapter;
  path: string;
  /** Whether the agent's program is on the PATH. */
  isPresent: boolean;
}

/** Of the named agent, or of all that read skills. */
export async function skillPlaces(invocation: Invocation): Promise<SkillPlace[]> {
  const [name] = invocation.arguments;
  const env = processEnv();
  const registry = new AgentRegistry();
  const names = name === undefined ? registry.names() : [name];
  const adapters = await Promise.all(names.map((each) => registry.get(each)));
  const project = invocation.flag("project") ? workingDirectory() : undefined;
  const places = adapters.flatMap((adapter) => {
    const { skills, command } = adapter;
    if (skills === undefined) return [];
    const path = join(skills(env, project), "amux", "SKILL.md");
    return [{ adapter, path, isPresent: findOnPath(command, env.vars) !== undefined }];
  });
  if (places.length === 0) throw usageError(`amux knows no place for skills of ${adapters[0]!.displayName}.`);
  return places;
}

export function skillState(path: string): SkillState {
  try {
    const text = readText(path);
    if (text === SKILL) return "installed";
    return isOurs(text) ? "outdated" : "edited";
  } catch (error) {
    if (isMissing(error)) return "absent";
    if (error instanceof FileRefused) return "edited";
    throw error;
  }
}

/** Returns whether the file changed. */
export function installSkill(path: string): boolean {
  const state = skillState(path);
  if (state === "installed") return false;
  if (state === "edited") throw edited(path, "Move it away first.");
  makeDirectory(dirname(path), 0o755);
  writeFileAtomic(path, SKILL, 0o644);
  return true;
}

export function uninstallSkill(path: string): boolean {
  const state = skillState(path);
  if (state === "absent") return false;
  if (state === "edited") throw edited(path, "Remove it yourself if you no longer want it.");
  rmSync(path);
  try {
    rmdirSync(dirname(path));
  } catch (error) {
    // Another file is in it, or a link leads to it.
    if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(error))) throw error;
  }
  return true;
}

function edited(path: string, advice: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${path} is not as amux wrote it, and was kept. ${advice}`);
}

/**
 * Finds a project's task provider: its `.agent-mux/tasks.json` or `.navi.yaml`, completed from the user's own `tasks.json` or
 * `~/.navi/config.yaml`. Files that others could have written are ignored.
 */
import { join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { ANSWERING } from "../../lib/fs/answering-directories.ts";
import { asArray, asObject, asText, type Json } from "../../lib/json/fields.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { isUsersOwn, projectDirectories } from "../../lib/fs/project-directories.ts";
import { parseYaml } from "../../lib/json/yaml.ts";
import { settingsText } from "../../lib/fs/foreign-file.ts";

export interface TaskConfig {
  provider: string;
  /** Named by the project, not by the user's settings. */
  isProjects: boolean;
  args: Record<string, string>;
  /** How long an answer is cached. */
  intervalMs: number;
  statusMap: Record<string, string>;
  branchPatterns: string[];
  /** Where the provider runs, and what its path is relative to. */
  projectDirectory: string;
  /** The project's own settings file, if any. */
  projectFile?: string;
}

const DEFAULT_INTERVAL_MS = 60_000;
const MIN_INTERVAL_MS = 1000;

export function noTaskProvider(cwd: string): string {
  return `No task provider is configured for ${cwd}. Put {"provider": "markdown-tasks"} into .agent-mux/tasks.json of the project. See amux tasks --help.`;
}

/** The same for a project that may be on a disk that does not answer, or have a link to one. */
export async function taskConfigOf(env: PathEnv, cwd: string, answering = ANSWERING): Promise<TaskConfig | undefined> {
  if (await answering.hasProject(cwd)) return findTaskConfig(env, cwd);
  throw new AgentMuxError(
    "CONFIG_ERROR",
    `${visibleControls(cwd)}, or a place that a file of the project links to, does not answer.`,
  );
}

/** Undefined if no provider is configured. */
export function findTaskConfig(env: PathEnv, cwd: string): TaskConfig | undefined {
  const project = projectSettings(cwd, env);
  const user = readFirst([join(amuxHome(env), "tasks.json"), join(env.home, ".navi", "config.yaml")])?.settings;
  const layers = [project?.settings, user].filter((settings): settings is Json => settings !== undefined);
  const ofProject = providerIn(project?.settings);
  const provider = ofProject ?? providerIn(user);
  if (provider === undefined) return undefined;
  const first = <T>(read: (settings: Json) => T | undefined): T | undefined =>
    layers.map(read).find((value) => value !== undefined);
  return {
    provider,
    isProjects: ofProject !== undefined,
    args: first((settings) => texts(settings["args"])) ?? {},
    intervalMs: first((settings) => milliseconds(settings["interval"])) ?? DEFAULT_INTERVAL_MS,
    statusMap: first((settings) => texts(settings["status_map"])) ?? {},
    branchPatterns:
      first((settings) => asArray(settings["branch_patterns"])?.flatMap((pattern) => asText(pattern) ?? [])) ?? [],
    projectDirectory: project?.directory ?? cwd,
    ...optional("projectFile", project?.path),
  };
}

function providerIn(settings: Json | undefined): string | undefined {
  return asText(settings?.["provider"]) ?? asText(settings?.["default_provider"]);
}

interface Found {
  settings: Json;
  path: string;
}

function projectSettings(cwd: string, env: PathEnv): (Found & { directory: string }) | undefined {
  for (const directory of projectDirectories(cwd, env.home)) {
    const own = join(directory, ".agent-mux");
    // The user's own directory is above every project in their home; it is not a project.
    const places = own === amuxHome(env) || !isUsersOwn(own) ? [] : [join(own, "tasks.json")];
    const found = readFirst([...places, join(directory, ".navi.yaml")].filter(isUsersOwn));
    if (found !== undefined) return { ...found, directory };
  }
  return undefined;
}

function readFirst(paths: readonly string[]): Found | undefined {
  for (const path of paths) {
    const settings = readSettings(path);
    if (settings !== undefined) return { settings, path };
  }
  return undefined;
}

function readSettings(path: string): Json | undefined {
  const content = settingsText(path);
  if (content === undefined) return undefined;
  try {
    const value = asObject(path.endsWith(".json") ? JSON.parse(content) : parseYaml(content));
    // The YAML files hold other settings too; ours does not.
    return path.endsWith(".json") ? value : asObject(value?.["tasks"]);
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `${path} is malformed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Undefined if empty, so that the next layer applies. */
function texts(value: unknown): Record<string, string> | undefined {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([name, entry]): [string, string][] =>
    typeof entry === "string" || typeof entry === "number" || typeof entry === "boolean" ? [[name, String(entry)]] : [],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `60s`, `5m`, `1h30m`, or seconds. */
function milliseconds(value: unknown): number | undefined {
  if (typeof value === "number") return Math.max(MIN_INTERVAL_MS, value * 1000);
  const text = asText(value);
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return Math.max(
    MIN_INTERVAL_MS,
    parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0),
  );
}

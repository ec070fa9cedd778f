/** amux's settings: defaults for runs, in general or by agent under `agents`. A project's settings override the user's. */
import { join } from "node:path";
import { AgentMuxError, ValidationError, type InvalidField } from "../core/errors.ts";
import type { RunDefaults } from "../core/run-options.ts";
import { asObject, type Json } from "../lib/json/fields.ts";
import { newProjectDirectory, type ConfigDirectories, type Scope } from "./config-directories.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import { DEFAULT_FIELDS, invalidDefaults } from "./option-checks.ts";
import { refuseDangerous } from "./project-limits.ts";
import { DEFAULT_RETRY } from "./retry.ts";
import { changeSettings, readSettings } from "./settings-file.ts";

export interface ConfigEntry {
  key: string;
  value: unknown;
  source: Scope | "default";
}

const BUILT_IN: RunDefaults = {
  timeout: 0,
  inactivityTimeout: 0,
  gracePeriodMs: 5000,
  stream: "auto",
  retryPolicy: DEFAULT_RETRY,
};

export class ConfigManager {
  readonly #places: ConfigDirectories;
  readonly #cwd: string;

  constructor(places: ConfigDirectories, cwd: string) {
    this.#places = places;
    this.#cwd = cwd;
  }

  /** The value of `timeout`, `agents.codex.model`, …; undefined if not set. */
  get(key: string): unknown {
    return this.list().find((entry) => entry.key === key)?.value ?? valueAt(this.#merged(), key);
  }

  /** Undefined removes the setting. */
  set(key: string, value: unknown, { scope = "global" }: { scope?: Scope } = {}): void {
    const path = this.#path(scope) ?? join(newProjectDirectory(this.#cwd), "config.json");
    changeSettings(path, scope === "global", (current) => {
      const next = withValue(current, key.split("."), value);
      const wrong = wrongSettings(next);
      if (wrong.length > 0) throw new ValidationError(wrong);
      refuse(next, scope, path);
      return next;
    });
  }

  /** Every setting with its value and origin. */
  list(): ConfigEntry[] {
    const entries = new Map<string, ConfigEntry>();
    const layers = [
      ["default", BUILT_IN],
      ["global", this.#read("global")],
      ["project", this.#read("project")],
    ] as const;
    for (const [source, settings] of layers) {
      for (const [key, value] of leaves(settings as Json)) entries.set(key, { key, value, source });
    }
    return [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get defaultAgent(): string | undefined {
    return this.#merged()["defaultAgent"] as string | undefined;
  }

  /** Defaults for an agent, before a profile, the client or a run overrides them. */
  defaultsFor(agent: string): RunDefaults {
    return mergeDefaults(BUILT_IN, ...this.#layers("global", agent), ...this.#layers("project", agent));
  }

  #layers(scope: Scope, agent: string): RunDefaults[] {
    const { defaultAgent: _, defaultModel, agents, worktrees: __, ...common } = this.#read(scope);
    const model = defaultModel === undefined ? {} : { model: defaultModel as string };
    return [{ ...(common as RunDefaults), ...model }, (asObject(agents)?.[agent] ?? {}) as RunDefaults];
  }

  #merged(): Json {
    return { ...this.#read("global"), ...this.#read("project") };
  }

  #path(scope: Scope): string | undefined {
    const directory = this.#places[scope];
    return directory === undefined ? undefined : join(directory, "config.json");
  }

  #read(scope: Scope): Json {
    const path = this.#path(scope);
    const settings = path === undefined ? undefined : readSettings(path);
    if (path === undefined || !settings) return {};
    const [wrong] = wrongSettings(settings);
    if (wrong) throw new AgentMuxError("CONFIG_ERROR", `${path}: ${wrong.field} ${wrong.message}.`);
    refuse(settings, scope, path);
    return settings;
  }
}

/** Settings by name, without those of one agent. */
export const SETTING_KEYS: readonly string[] = [
  "defaultAgent",
  "defaultModel",
  ...DEFAULT_FIELDS.filter((field) => field !== "agent" && field !== "model"),
  "worktrees",
];

function wrongSettings({ defaultAgent, defaultModel, agents, worktrees, ...common }: Json): InvalidField[] {
  const named = { agent: defaultAgent, model: defaultModel };
  const wrong = invalidDefaults(named).map((field) => ({
    ...field,
    field: field.field === "agent" ? "defaultAgent" : "defaultModel",
  }));
  // A general setting that names an agent would be a contradiction.
  const { agent, model, ...rest } = common;
  if (agent !== undefined || model !== undefined) {
    wrong.push({
      field: agent === undefined ? "model" : "agent",
      message: "is called defaultAgent or defaultModel here",
      received: agent ?? model,
      expected: "defaultAgent, defaultModel",
    });
  }
  wrong.push(...invalidDefaults(rest));
  // Read where worktrees are created, in changes/worktree/place.ts.
  if (worktrees !== undefined && (typeof worktrees !== "string" || !/^(?:\/|~(?:\/|$))/.test(worktrees))) {
    const expected = "a directory that begins with / or ~";
    wrong.push({ field: "worktrees", message: `must be ${expected}`, received: worktrees, expected });
  }
  if (agents !== undefined && !asObject(agents)) {
    wrong.push({ field: "agents", message: "must be an object by agent", received: agents, expected: "an object" });
  }
  for (const [name, settings] of Object.entries(asObject(agents) ?? {})) {
    for (const field of invalidDefaults(asObject(settings) ?? { "": settings })) {
      wrong.push({ ...field, field: `agents.${name}.${field.field}` });
    }
  }
  return wrong;
}

/** Dangerous modes can never be a default. */
function refuse(settings: Json, scope: Scope, path: string): void {
  if (scope === "project" && settings["worktrees"] !== undefined) {
    const why = "a project does not choose where files go on your machine";
    throw new AgentMuxError("CONFIG_ERROR", `${path} may not set worktrees: ${why}. Set it in your own settings.`);
  }
  for (const part of [settings, ...Object.values(asObject(settings["agents"]) ?? {})] as RunDefaults[]) {
    refuseDangerous(part, scope, path);
    if (part.approvalMode === "yolo") {
      throw new AgentMuxError(
        "CONFIG_ERROR",
        `${path} may not set approvalMode to yolo for every run. Use --yolo, or a profile that is named when it is meant.`,
      );
    }
  }
}

function* leaves(settings: Json, prefix = ""): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(settings)) {
    const inner = asObject(value);
    if (inner) yield* leaves(inner, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, value];
  }
}

function valueAt(settings: Json, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => asObject(value)?.[name], settings);
}

function withValue(settings: Json, [name, ...rest]: readonly string[], value: unknown): Json {
  if (name === undefined || name === "" || name === "__proto__") {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `A setting is named like timeout or agents.codex.model; known: ${SETTING_KEYS.join(", ")}.`,
    );
  }
  const inner = rest.length === 0 ? value : withValue(asObject(settings[name]) ?? {}, rest, value);
  const { [name]: _, ...others } = settings;
  const isEmpty = inner === undefined || (rest.length > 0 && Object.keys(inner as Json).length === 0);
  return isEmpty ? others : { ...others, [name]: inner };
}

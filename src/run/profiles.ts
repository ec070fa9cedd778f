/** Named sets of run options: the user's own, with a project's over them field by field. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AgentMuxError, ValidationError } from "../core/errors.ts";
import type { RunDefaults } from "../core/run-options.ts";
import { entriesOf } from "../lib/fs/directory.ts";
import { optional } from "../lib/values/optional.ts";
import { newProjectDirectory, type ConfigDirectories, type Scope } from "./config-directories.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import { isProfileName, invalidDefaults } from "./option-checks.ts";
import { refuseDangerous } from "./project-limits.ts";
import { changeSettings, readSettings } from "./settings-file.ts";

export interface ProfileEntry {
  name: string;
  scope: Scope;
  /** A project's profile that overrides a global one of the same name. */
  hasGlobalOverride: boolean;
  agent?: string;
  model?: string;
  /** Why it cannot be used. */
  corrupt?: string;
}

export class ProfileManager {
  readonly #places: ConfigDirectories;
  readonly #cwd: string;

  constructor(places: ConfigDirectories, cwd: string) {
    this.#places = places;
    this.#cwd = cwd;
  }

  list({ scope }: { scope?: Scope } = {}): ProfileEntry[] {
    const scopes: Scope[] = scope === undefined ? ["project", "global"] : [scope];
    return scopes.flatMap((each) => this.#names(each).map((name) => this.#entry(name, each)));
  }

  /** Both scopes together, or one of them. */
  show(name: string, { scope }: { scope?: Scope } = {}): RunDefaults {
    checkName(name);
    const layers = (scope === undefined ? (["global", "project"] as const) : [scope]).map((each) =>
      this.#read(name, each),
    );
    if (layers.every((layer) => layer === undefined)) throw this.#missing(name, scope);
    return mergeDefaults(...layers);
  }

  #missing(name: string, scope: Scope | undefined): AgentMuxError {
    const known = [...new Set(this.list(optional("scope", scope)).map((entry) => entry.name))];
    const hint = known.length > 0 ? ` There are: ${known.join(", ")}.` : " amux profiles set makes one.";
    const kind = scope === undefined ? "profile" : `${scope} profile`;
    return new AgentMuxError("PROFILE_NOT_FOUND", `There is no ${kind} "${name}".${hint}`);
  }

  /** Sets fields of a profile; undefined removes one. */
  set(name: string, fields: RunDefaults, { scope = "global" }: { scope?: Scope } = {}): void {
    checkName(name);
    const isRemoval = Object.values(fields).every((value) => value === undefined);
    // A missing profile has nothing to remove, and creating it would hide another of its name.
    if (isRemoval && !this.#names(scope).includes(name)) throw this.#missing(name, scope);
    const path = this.#path(name, scope) ?? join(newProjectDirectory(this.#cwd), "profiles", `${name}.json`);
    changeSettings(path, scope === "global", (current) => {
      const next = Object.fromEntries(
        Object.entries({ ...current, ...fields }).filter(([, value]) => value !== undefined),
      );
      const wrong = invalidDefaults(next);
      if (wrong.length > 0) throw new ValidationError(wrong);
      refuseDangerous(next, scope, path);
      return next;
    });
  }

  /** False if there was none. */
  delete(name: string, { scope = "global" }: { scope?: Scope } = {}): boolean {
    checkName(name);
    if (!this.#names(scope).includes(name)) return false;
    rmSync(this.#path(name, scope)!, { force: true });
    return true;
  }

  apply(name: string, overrides: RunDefaults = {}): RunDefaults {
    return mergeDefaults(this.show(name), overrides);
  }

  #entry(name: string, scope: Scope): ProfileEntry {
    const hasGlobalOverride = scope === "project" && this.#names("global").includes(name);
    try {
      const { agent, model } = this.#read(name, scope) ?? {};
      return {
        name,
        scope,
        hasGlobalOverride,
        ...(agent === undefined ? {} : { agent }),
        ...(model === undefined ? {} : { model }),
      };
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      return { name, scope, hasGlobalOverride, corrupt: error.message };
    }
  }

  #names(scope: Scope): string[] {
    const directory = this.#places[scope];
    if (directory === undefined) return [];
    return entriesOf(join(directory, "profiles"))
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".json"))
      .map((entry) => entry.name.slice(0, -".json".length))
      .filter(isProfileName)
      .sort();
  }

  #path(name: string, scope: Scope): string | undefined {
    const directory = this.#places[scope];
    return directory === undefined ? undefined : join(directory, "profiles", `${name}.json`);
  }

  #read(name: string, scope: Scope): RunDefaults | undefined {
    const path = this.#path(name, scope);
    const fields = path === undefined ? undefined : readSettings(path);
    if (path === undefined || !fields) return undefined;
    const [wrong] = invalidDefaults(fields);
    if (wrong) throw new AgentMuxError("CONFIG_ERROR", `${path}: ${wrong.field} ${wrong.message}.`);
    refuseDangerous(fields, scope, path);
    return fields;
  }
}

/** Also keeps a name from becoming a path. */
function checkName(name: string): void {
  if (isProfileName(name)) return;
  const expected = "1 to 64 of a-z, A-Z, 0-9, _ and -";
  throw new ValidationError([{ field: "profile", message: `must be ${expected}`, received: name, expected }]);
}

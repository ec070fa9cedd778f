/** The running half of a client: `run`, and the settings that runs start from. */
import { isAbsolute } from "node:path";
import { AgentMuxError, ValidationError } from "../core/errors.ts";
import type { RunDefaults, RunOptions } from "../core/run-options.ts";
import { ConfigManager } from "./config.ts";
import { findConfigPlaces } from "./config-places.ts";
import { ProfileManager } from "./profiles.ts";
import { Run, type RunServices } from "./run.ts";
import type { RunHandle } from "./run-handle.ts";
import { planRun, type Settings } from "./run-plan.ts";

export interface RunClientOptions {
  /** Over the settings of files, under those of a profile and of the run itself. */
  defaults: RunDefaults;
  /** In place of amux's home and of the project's directory found from the working directory upwards. */
  configDir?: string;
  projectConfigDir?: string;
  has(agent: string): boolean;
}

export class RunClient {
  readonly #services: RunServices;
  readonly #options: RunClientOptions;

  constructor(services: RunServices, options: RunClientOptions) {
    this.#services = services;
    this.#options = options;
    for (const field of ["configDir", "projectConfigDir"] as const) {
      const received = options[field];
      if (received === undefined || isAbsolute(received)) continue;
      throw new ValidationError([
        { field, message: "must be an absolute path", received, expected: "an absolute path" },
      ]);
    }
  }

  /** Options that are wrong throw here; whatever happens later is in the events and the result. */
  run(options: RunOptions): RunHandle {
    const plan = planRun(options, this.settings(options.cwd));
    if (!this.#options.has(plan.agent)) {
      throw new AgentMuxError("AGENT_NOT_FOUND", `There is no agent "${plan.agent}". See amux agents.`);
    }
    return new Run(plan, this.#services);
  }

  /** A project's settings are those of the directory a run takes place in. */
  settings(cwd: string = process.cwd()): Settings {
    const { configDir, projectConfigDir, defaults } = this.#options;
    const places = findConfigPlaces(this.#services.env, cwd, {
      ...(configDir === undefined ? {} : { global: configDir }),
      ...(projectConfigDir === undefined ? {} : { project: projectConfigDir }),
    });
    return {
      config: new ConfigManager(places, cwd),
      profiles: new ProfileManager(places, cwd),
      client: defaults,
      cwd,
    };
  }
}

/** The running half of a client: `run`, and the default settings of runs. */
import { isAbsolute } from "node:path";
import type { AgentRegistry } from "../agents/registry.ts";
import { ValidationError } from "../core/errors.ts";
import type { RunDefaults, RunOptions } from "../core/run-options.ts";
import { requestFor } from "./agent-request.ts";
import { ConfigManager } from "./config.ts";
import { findConfigDirectories } from "./config-directories.ts";
import { ProfileManager } from "./profiles.ts";
import { environmentFor, programOf } from "./program.ts";
import { Run, type RunServices } from "./run.ts";
import type { RunHandle } from "./run-handle.ts";
import { planRun, type RunPlan, type Settings } from "./run-plan.ts";
import { Scratch } from "./scratch.ts";

export interface RunClientOptions {
  /** Overrides settings files; a profile and the run's own options override it. */
  defaults: RunDefaults;
  /** Replaces amux's home and the project's directory. */
  configDir?: string;
  projectConfigDir?: string;
  registry: Pick<AgentRegistry, "has" | "unknown">;
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

  /** Invalid options throw here; later failures are in the events and the result. */
  run(options: RunOptions): RunHandle {
    return new Run(this.#plan(options), this.#services);
  }

  /** Starts nothing; throws whatever would prevent a run: invalid options, or an agent that cannot do it. */
  async check(options: RunOptions): Promise<{ agent: string; cwd: string }> {
    const plan = this.#plan(options);
    const adapter = await this.#services.adapter(plan.agent);
    const scratch = new Scratch();
    try {
      requestFor(plan, adapter, scratch);
    } finally {
      scratch.remove();
    }
    programOf(adapter, environmentFor(this.#services.env, plan.options.env, undefined), []);
    return { agent: plan.agent, cwd: plan.cwd };
  }

  #plan(options: RunOptions): RunPlan {
    const plan = planRun(options, this.settings(options.cwd));
    if (this.#options.registry.has(plan.agent)) return plan;
    throw this.#options.registry.unknown(plan.agent);
  }

  /** Project settings are those of the directory the run works in. */
  settings(cwd: string = process.cwd()): Settings {
    const { configDir, projectConfigDir, defaults } = this.#options;
    const places = findConfigDirectories(this.#services.env, cwd, {
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

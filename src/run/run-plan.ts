/** Everything decided before the agent is involved: options merged from all places. */
import { ValidationError } from "../core/errors.ts";
import type { RetryPolicy, RunDefaults, RunOptions } from "../core/run-options.ts";
import type { ConfigManager } from "./config.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import { checkOptions } from "./option-checks.ts";
import type { ProfileManager } from "./profiles.ts";
import { DEFAULT_RETRY } from "./retry.ts";
import { createRunId } from "./run-id.ts";

export interface RunPlan {
  runId: string;
  agent: string;
  prompt: string;
  cwd: string;
  /** All settings, overridden by the run's own options. */
  options: RunOptions;
  retry: RetryPolicy;
  gracePeriodMs: number;
  timeoutMs: number;
  inactivityMs: number;
  tags: string[];
}

export interface Settings {
  config: ConfigManager;
  profiles: ProfileManager;
  /** What the client was created with. */
  client: RunDefaults;
  /** Directory of a run that names none. */
  cwd: string;
}

/** Precedence: the run's options, its profile, the client's, the project's, the user's, the built-in ones. */
export function planRun(options: RunOptions, { config, profiles, client, cwd }: Settings): RunPlan {
  checkOptions(options);
  const profile = options.profile === undefined ? {} : profiles.show(options.profile);
  const agent = options.agent ?? profile.agent ?? client.agent ?? config.defaultAgent;
  if (agent === undefined) {
    const message = "is not named, and neither a profile nor the setting defaultAgent names one";
    throw new ValidationError([{ field: "agent", message, received: undefined, expected: "the name of an agent" }]);
  }
  const defaults = mergeDefaults(config.defaultsFor(agent), client, profile);
  const merged = mergeDefaults(defaults, options) as RunOptions;
  return {
    runId: options.runId ?? createRunId(),
    agent,
    prompt: Array.isArray(options.prompt) ? options.prompt.join("\n\n") : options.prompt,
    cwd: options.cwd ?? cwd,
    options: merged,
    retry: { ...DEFAULT_RETRY, ...merged.retryPolicy },
    gracePeriodMs: merged.gracePeriodMs!,
    timeoutMs: merged.timeout!,
    inactivityMs: merged.inactivityTimeout!,
    tags: merged.tags ?? [],
  };
}

/** The machine as an adapter sees it. */
export interface AgentEnv {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly vars: Readonly<Record<string, string | undefined>>;
}

/** `locations` in an agent's `locations.ts`: directories and files. If none exists, its `history` has nothing to report. */
export type AgentLocations = (env: AgentEnv) => string[];

/** The machine as an adapter sees it. */
export interface AgentEnv {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly vars: Readonly<Record<string, string | undefined>>;
}

/**
 * `locations` in an agent's `locations.ts`: directories and files of which one is there if anything is that its `history` can tell
 * of, be it a session, a note of the agent's own, or trouble with reading them.
 */
export type AgentLocations = (env: AgentEnv) => string[];

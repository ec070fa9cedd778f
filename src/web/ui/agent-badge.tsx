/** The agent's name in its colour. */
import type { JSX } from "preact";
import { agentLabel, agents } from "../state/agents.ts";
import { colourOf } from "./agent-colours.ts";

const SHELL = "shell";

export function AgentBadge({ agent }: { agent: string }): JSX.Element {
  const name = agents.value.get(agent)?.display_name ?? agent;
  // A shell is not an agent.
  if (agent === SHELL) return <span class="agent plain">{agent}</span>;
  const { hue, isDeep } = colourOf(agent);
  return (
    <span class={`agent ${isDeep ? "deep" : ""}`} title={agentLabel(agent, name)} style={{ "--hue": String(hue) }}>
      {agentLabel(agent)}
    </span>
  );
}

/** Which agent it is: a name in a colour of its own. Colours come from the name, so that a new agent needs no table. */
import type { JSX } from "preact";
import { agents } from "../state/agents.ts";
import { hueOf } from "./agent-colours.ts";

const SHELL = "shell";

export function AgentBadge({ agent }: { agent: string }): JSX.Element {
  const name = agents.value.get(agent)?.display_name ?? agent;
  // A shell is no agent.
  if (agent === SHELL) return <span class="agent plain">{agent}</span>;
  return (
    <span class="agent" title={name} style={{ "--hue": String(hueOf(agent)) }}>
      {agent}
    </span>
  );
}

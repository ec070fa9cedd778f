/** The agents this daemon knows, and which of them are installed. */
import { signal } from "@preact/signals";
import type { Capabilities } from "../../protocol/daemon-api.ts";
import { api } from "./api.ts";

export type Agent = Capabilities["agents"][number];

export const agents = signal<ReadonlyMap<string, Agent>>(new Map());

export async function loadAgents(): Promise<void> {
  const { agents: list } = await api.capabilities();
  agents.value = new Map(list.map((agent) => [agent.name, agent]));
}

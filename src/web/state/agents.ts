/** The agents the daemon knows, and which are installed. */
import { signal } from "@preact/signals";
import type { Capabilities } from "../../protocol/daemon-api.ts";
import { api } from "./api.ts";

export type Agent = Capabilities["agents"][number];

/** On this machine. */
export const agents = signal<ReadonlyMap<string, Agent>>(new Map());

/** The home directory on this machine; empty until it is known. */
export const home = signal("");

/** On peers, loaded on demand. */
const elsewhere = signal<ReadonlyMap<string, ReadonlyMap<string, Agent>>>(new Map());

/** The agent's capabilities on a session's machine. */
export function agentOf(unifiedId: string, peer: string | undefined): Agent | undefined {
  const known = peer === undefined ? agents.value : elsewhere.value.get(peer);
  return known?.get(unifiedId.split(":", 1)[0]!);
}

/** Its name in lists, or other text that names it. */
export function agentLabel(name: string, text = name): string {
  return agents.value.get(name)?.experimental === true ? `${text} (experimental)` : text;
}

/** A path as the command line shows it: `~/dev/shop`. */
export function tilde(path: string): string {
  const { value: directory } = home;
  const isBelow = directory !== "" && (path === directory || path.startsWith(`${directory}/`));
  return isBelow ? `~${path.slice(directory.length)}` : path;
}

export async function loadAgentsOf(peer: string): Promise<void> {
  const { agents: list } = await api.capabilities(peer);
  elsewhere.value = new Map(elsewhere.value).set(peer, new Map(list.map((agent) => [agent.name, agent])));
}

export async function loadAgents(): Promise<void> {
  const { agents: list, home: directory = "" } = await api.capabilities();
  home.value = directory.replace(/\/+$/, "");
  agents.value = new Map(list.map((agent) => [agent.name, agent]));
}

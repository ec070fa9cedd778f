import { AgentMuxError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { running } from "../format/machines.ts";
import { knownPeers, type KnownPeer } from "../peers/known-peers.ts";

const command: Command = {
  name: "peers status",
  description: "Shows the state of each link, since when, and why it fails.",
  arguments: [{ name: "name", description: "name of the machine", optional: true }],
  examples: [["amux peers status box", "exit code 0 if it can be reached, 1 if not"]],
  async run({ arguments: [name], output }) {
    const all = await knownPeers(output);
    const peers = name === undefined ? all : all.filter((peer) => peer.name === name);
    if (name !== undefined && peers.length === 0) {
      throw new AgentMuxError("SESSION_NOT_FOUND", `There is no peer "${name}". See amux peers list.`);
    }
    if (output.json) await output.writeJson(peers);
    else if (peers.length === 0) output.note("No other machine is linked. See amux peers add --help.");
    else await output.write(peers.map(paragraph).join("\n"));
    return peers.every(({ state }) => state === "connected") ? 0 : 1;
  },
};

export default command;

function paragraph({ name, url, state, error, since, retry_at, hostname, version, sessions }: KnownPeer): string {
  const lines = [
    `${name}  ${url}`,
    `  ${state}${since === undefined ? "" : `, ${age(new Date(since))}`}`,
    ...(retry_at === undefined ? [] : [`  tried again ${untilText(retry_at)}; amux peers retry ${name} tries at once`]),
    ...(error === undefined ? [] : [`  ${error}`]),
    ...(hostname === undefined ? [] : [`  ${hostname}, amux ${version}`]),
    ...(sessions === undefined ? [] : [`  ${running(sessions.alive)}, ${sessions.dead} ended`]),
  ];
  return `${lines.join("\n")}\n`;
}

function untilText(time: string): string {
  const seconds = Math.ceil((Date.parse(time) - Date.now()) / 1000);
  return seconds <= 0 ? "now" : `in ${seconds} s`;
}

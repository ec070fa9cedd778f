import { readFileSync } from "node:fs";
import { DaemonApi } from "../../client/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine } from "../../lib/text/text.ts";
import { PeerName, parsePeerAddress, PeerToken, type PeerStatus } from "../../protocol/peers.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { running } from "../format/machines.ts";

/** How long to wait for the other machine's first answer. */
const ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;

const command: Command = {
  name: "peers add",
  description:
    "Shows another machine's sessions here, as id@name. ssh uses your own configuration, keys and known hosts. HTTP needs the other daemon's token (file auth-token in its AMUX_HOME), from standard input or a file, never from the command line. It is stored in a file that only you can read.",
  arguments: [
    { name: "name", description: "a name for it: lower-case letters, digits and hyphens" },
    { name: "address", description: "ssh://[user@]host[:port], https://host:port, or http:// in a private network" },
  ],
  options: [
    { name: "token-file", value: "file", description: "the file with the other daemon's token" },
    {
      name: "ca-file",
      value: "file",
      description: "trust only this certificate (PEM): the server's own, or its CA's",
    },
    { name: "keep", description: "add it even if it cannot be reached yet" },
  ],
  examples: [
    ["amux peers add box ssh://box", "over SSH, like ssh box"],
    ["ssh box cat .agent-mux/auth-token | amux peers add box https://box.example", "over HTTPS, the token from a pipe"],
  ],
  async run(invocation) {
    const [name = "", url = ""] = invocation.arguments;
    const { output } = invocation;
    if (!PeerName.safeParse(name).success) throw usageError(`"${oneLine(name)}" is not a valid peer name.`);
    const address = parsePeerAddress(url);
    if (address === undefined)
      throw usageError("The address must be ssh://host, https://host:port or http://host:port.");
    const token = address.kind === "ssh" ? undefined : await tokenFor(invocation);
    await ensureDaemon();
    const api = new DaemonApi(daemonClient());
    const certificate = invocation.text("ca-file");
    const ca = certificate === undefined ? undefined : contentOf(certificate, "certificate");
    const wasKnown = (await api.peers()).some((peer) => peer.name === name);
    await api.addPeer({ name, url, ...optional("token", token), ...optional("ca", ca) });
    const status = await firstAnswer(api, name, () => output.progress(`Reaching ${name} …`));
    // A machine that was never reached would make every query to all machines incomplete.
    const isKept = status.state === "connected" || wasKnown || invocation.flag("keep");
    if (!isKept) await api.removePeer(name);
    if (output.json) await output.writeJson({ ...status, kept: isKept });
    else await output.write(lineFor(status, isKept));
    return status.state === "connected" ? 0 : 1;
  },
};

export default command;

function lineFor({ name, state, error, sessions }: PeerStatus, isKept: boolean): string {
  if (state === "connected") return `${name} is linked: ${running(sessions.alive)} there.\n`;
  const reason = error ?? "It has not answered.";
  if (!isKept) return `${name} is not linked: it cannot be reached. ${reason} --keep links it all the same.\n`;
  return `${name} is saved, but cannot be reached yet. ${reason}\n`;
}

export async function firstAnswer(api: DaemonApi, name: string, onWait: () => void): Promise<PeerStatus> {
  const deadline = Date.now() + ANSWER_WITHIN_MS;
  for (;;) {
    const status = (await api.peers()).find((peer) => peer.name === name);
    if (status === undefined) throw new AgentMuxError("INTERNAL", `${name} was removed again.`);
    if (status.state !== "connecting" || Date.now() > deadline) return status;
    onWait();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function tokenFor(invocation: Invocation): Promise<string> {
  const file = invocation.text("token-file");
  const token = (file === undefined ? await standardInput(invocation) : contentOf(file, "token")).trim();
  // Without the text: it may be another secret.
  if (!PeerToken.safeParse(token).success)
    throw usageError("The token must be 64 hexadecimal digits. It is in ~/.agent-mux/auth-token on the other machine.");
  return token;
}

function contentOf(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AgentMuxError("CONFIG_ERROR", `The ${what} cannot be read: ${errorText(error)}`, { cause: error });
  }
}

async function standardInput({ output }: Invocation): Promise<string> {
  if (process.stdin.isTTY) output.note("Paste the other daemon's token (its file auth-token), then Ctrl-D:");
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) text += piece as string;
  return text;
}

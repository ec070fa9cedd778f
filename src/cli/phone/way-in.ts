/** How a phone gets to the page: checked step by step from this machine. Only TLS, or a tunnel that ends on the phone, will do. */
import { hostname, userInfo } from "node:os";
import { codeOf } from "../../lib/fs/directory.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import { usageError } from "../command.ts";
import { tailscaleState, type Step } from "./tailscale.ts";

export interface WayIn {
  steps: Step[];
  /** Where the phone goes, if a way was found. */
  address?: string;
  /** What to do if not; commands are indented. */
  advice: string[];
}

interface Daemon {
  listen: string;
  hosts: readonly string[];
}

const ANSWER_WITHIN_MS = 5000;

export async function findWayIn(daemon: Daemon, wanted: string | undefined): Promise<WayIn> {
  if (wanted !== undefined) return wayTo(daemon, wanted);
  const { listen, hosts } = daemon;
  const steps: Step[] = [{ ok: true, text: `The daemon listens on ${listen}. ${reachOf(listen)}` }];
  const tailscale = await tailscaleState(listen);
  steps.push(...tailscale.steps);
  const { name } = tailscale;
  if (hosts.length === 0) steps.push({ ok: false, text: "The daemon accepts no host name from outside yet." });
  for (const host of hosts) {
    const step = await checkHost(host);
    steps.push(step);
    if (step.ok) return { steps, address: `https://${host}/`, advice: [] };
  }
  return { steps, advice: adviceFor(listen, name) };
}

/** The user names the way; plain HTTP is for the end of a tunnel only. */
async function wayTo({ listen, hosts }: Daemon, wanted: string): Promise<WayIn> {
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.username !== "")
    throw usageError("--at takes an address such as https://box.example, or http://localhost:8790 for a tunnel.");
  const port = listen.slice(listen.lastIndexOf(":"));
  if (url.protocol === "http:") {
    if (!["localhost", "127.0.0.1", "[::1]"].includes(url.hostname))
      throw usageError(
        "Plain HTTP is refused: anyone on the way could read the link and all you type. Use https, or a tunnel and http://localhost.",
      );
    if (`:${url.port}` !== port)
      throw usageError(`A tunnel must end on the daemon's own port: http://localhost${port}.`);
    const text = `On the phone: ssh -L ${port.slice(1)}:${listen} ${userInfo().username}@${hostname()}`;
    return { steps: [{ ok: true, text }], address: `${url.origin}/`, advice: [] };
  }
  if (!hosts.includes(url.host) && !hosts.includes(url.hostname))
    return {
      steps: [{ ok: false, text: `The daemon does not accept ${url.host} yet.` }],
      advice: [`  amux daemon restart --host ${url.host}`],
    };
  // A router may hide it from this machine only.
  return { steps: [await checkHost(url.host)], address: `${url.origin}/`, advice: [] };
}

function reachOf(listen: string): string {
  const isLoopback = /^(?:127\.|\[::1\]|localhost)/.test(listen);
  return isLoopback
    ? "Only this machine gets there."
    : "That is plain HTTP in your network. A phone is not sent there: anyone in the network could read along.";
}

/** Without a token an amux daemon refuses in its own words. */
async function checkHost(host: string): Promise<Step> {
  const address = `https://${host}`;
  try {
    const answer = await fetch(`${address}/v1/health`, {
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const code = asText(asObject(parseObject((await answer.text()).slice(0, 4096))?.["error"])?.["code"]);
    if (code === "unauthorized") return { ok: true, text: `${address} leads to amux, with TLS.` };
    const why = code === "bad_host" ? "the proxy must pass the Host header on" : "another program answers there";
    return { ok: false, text: `${address} does not lead to amux: ${why}.` };
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    const why = codeOf(cause) === "ENOTFOUND" ? "the name is not known here" : oneLine(errorText(cause));
    return { ok: false, text: `${address} cannot be reached: ${why.replace(/\.$/, "")}.` };
  }
}

function adviceFor(listen: string, name = "<machine>.<tailnet>.ts.net"): string[] {
  const [address, port] = [`http://${listen}`, listen.slice(listen.lastIndexOf(":") + 1)];
  return [
    "Choose one way, then run amux open --phone again:",
    "- Tailscale on both (with HTTPS certificates on for the tailnet):",
    `    tailscale serve --bg ${address}`,
    `    amux daemon restart --host ${name}`,
    "- A proxy with TLS and a name of its own, for example Caddy:",
    `    box.example { reverse_proxy ${listen} }`,
    "    amux daemon restart --host box.example",
    "- ssh, with a terminal app on the phone:",
    `    ssh -L ${port}:${listen} ${userInfo().username}@${hostname()}`,
    `    amux open --phone --at http://localhost:${port}`,
  ];
}

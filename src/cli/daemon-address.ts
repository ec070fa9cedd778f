/** Options for the daemon's address, and the variables for a background daemon. */
import { AgentMuxError } from "../core/errors.ts";
import { usageError, type Invocation, type OptionSpec } from "./command.ts";

export const DEFAULT_ADDRESS = "127.0.0.1:8790";

export const ADDRESS_OPTIONS: readonly OptionSpec[] = [
  {
    name: "listen",
    value: "address",
    description: `address and port (default ${DEFAULT_ADDRESS}, or AMUX_LISTEN); never a public one`,
  },
  {
    name: "host",
    value: "name",
    description: "accept this host name, for use behind a TLS proxy (also AMUX_HOSTS, with commas)",
    repeatable: true,
  },
];

/** Variables for a background daemon. Invalid values are reported here, not in its log. */
export function addressVariables(invocation: Invocation): Record<string, string> {
  const listen = invocation.text("listen");
  const hosts = invocation.texts("host").map(hostFrom);
  if (listen !== undefined) addressFrom(listen);
  return {
    ...(listen === undefined ? {} : { AMUX_LISTEN: listen }),
    ...(hosts.length === 0 ? {} : { AMUX_HOSTS: hosts.join(",") }),
  };
}

export function addressFrom(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? (plain === "localhost" ? "127.0.0.1" : plain);
  if (host === undefined || Number(port) > 65_535) throw usageError(`--listen takes address:port, not "${text}".`);
  if (Number(port) === 0) throw new AgentMuxError("CONFIG_ERROR", "The port must be a number from 1 up.");
  return { host, port: Number(port) };
}

export function isHost(name: string): boolean {
  return /^(?:\[[0-9a-f:]+\]|[a-z0-9][a-z0-9.-]*)(?::\d{1,5})?$/i.test(name);
}

export function hostFrom(name: string): string {
  if (isHost(name)) return name.toLowerCase();
  throw usageError(`--host takes a host name, with a port if it is not the default one, not "${name}".`);
}

import { AgentMuxError } from "../../core/errors.ts";
import { processEnv } from "../../lib/paths.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { healthText } from "../format/daemon-health.ts";

const DEFAULT_ADDRESS = "127.0.0.1:8790";

const command: Command = {
  name: "daemon",
  summary: "Run the daemon in the foreground",
  description:
    "Serves every session to the page, scripts and other machines, until it is interrupted. Sessions do not need it and go on without it.",
  options: [
    {
      name: "listen",
      value: "address",
      description: `address and port (default ${DEFAULT_ADDRESS}, or AMUX_LISTEN); never a public one`,
    },
  ],
  examples: [
    ["amux daemon", "run it here; Ctrl-C ends it"],
    ["amux daemon --listen 127.0.0.1:9000", "on another port"],
  ],
  run: runInForeground,
};

async function runInForeground(invocation: Invocation): Promise<void> {
  const { runDaemon } = await import("../../daemon/main.ts");
  const env = processEnv();
  const { host, port } = addressFrom(invocation.text("listen") ?? env.vars["AMUX_LISTEN"] ?? DEFAULT_ADDRESS);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const daemon = await runDaemon({ env, host, port, onShutdown: () => setImmediate(end) });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (invocation.output.json) await invocation.output.writeJson(daemon.health());
  else await invocation.output.write(healthText(daemon.health()));
  await ended;
  await daemon.close();
}

function addressFrom(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? (plain === "localhost" ? "127.0.0.1" : plain);
  if (host === undefined || Number(port) > 65_535) throw usageError(`--listen takes address:port, not "${text}".`);
  if (Number(port) === 0) throw new AgentMuxError("CONFIG_ERROR", "The port must be a number from 1 up.");
  return { host, port: Number(port) };
}

export default command;

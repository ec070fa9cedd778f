import { existsSync } from "node:fs";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import type { Command, Invocation } from "../command.ts";
import { ADDRESS_OPTIONS, addressFrom, DEFAULT_ADDRESS, hostFrom, isHost } from "../daemon-address.ts";
import { healthText } from "../format/daemon-health.ts";

const command: Command = {
  name: "daemon",
  description: "Serves sessions to the page, scripts and other machines until interrupted. Sessions run without it.",
  options: ADDRESS_OPTIONS,
  examples: [
    ["amux daemon", "run it here; Ctrl-C ends it"],
    ["amux daemon --listen 127.0.0.1:9000", "on another port"],
    ["amux daemon --host box.example", "behind a proxy that answers at https://box.example"],
  ],
  run: runInForeground,
};

const LINGER_MS = 500;

async function runInForeground(invocation: Invocation): Promise<void> {
  // A background starter reads this only until the daemon runs.
  process.stderr.on("error", () => undefined);
  const env = processEnv();
  const { host, port } = addressFrom(invocation.text("listen") ?? env.vars["AMUX_LISTEN"] ?? DEFAULT_ADDRESS);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { hosts: file } = daemonFiles(amuxHome(env));
  const given = [...invocation.texts("host"), ...(env.vars["AMUX_HOSTS"]?.split(",") ?? [])];
  // Names given once are kept; an empty AMUX_HOSTS forgets them.
  const before = existsSync(file) ? readText(file) : "";
  const kept = given.length > 0 ? [] : namesOf(before.split("\n"));
  for (const name of kept.filter((each) => !isHost(each)))
    invocation.output.note(`${file}: "${name}" is not a host's name. It is skipped.`);
  const names = [...namesOf(given), ...kept.filter(isHost)].map(hostFrom);
  const { startHistoryProcess } = await import("../../daemon/files/history-process.ts");
  // It initialises while the daemon's own code loads.
  const reader = startHistoryProcess(env);
  const { runDaemon } = await import("../../daemon/main.ts");
  const daemon = await runDaemon({ env, host, port, hosts: names, reader, onShutdown: () => setImmediate(end) });
  if (given.length > 0 && names.join("\n") !== before) writeFileAtomic(file, names.join("\n"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (invocation.output.json) await invocation.output.writeJson(daemon.health());
  else await invocation.output.write(healthText(daemon.health()));
  await ended;
  await daemon.close();
  // A stopped session may never answer; exit anyway.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function namesOf(texts: readonly string[]): string[] {
  return texts.map((name) => name.trim()).filter((name) => name !== "");
}

export default command;

/** The daemon as a user service: started at login, and restarted on failure. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { amuxHome, configHome, type PathEnv } from "../lib/fs/paths.ts";
import { DAEMON_NODE_FLAGS } from "./daemon-process.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";

export interface Service {
  path: string;
  content: string;
  /** Commands that enable and disable the service. */
  enable: string;
  disable: string;
}

/** `program` is the path of this command. */
export function serviceFor(env: PathEnv, node: string, program: string): Service {
  const command = [node, ...DAEMON_NODE_FLAGS, program, "daemon"];
  // The service's environment must name the same home.
  const variables = { AMUX_HOME: amuxHome(env), ...pick(env, ["AMUX_SOCKET_DIR", "AMUX_LISTEN", "SHELL"]) };
  if (env.platform === "darwin") return launchAgent(env, command, variables);
  if (env.platform === "linux") return systemdUnit(env, command, variables);
  throw new AgentMuxError("CAPABILITY_ERROR", `amux supports no service manager on ${env.platform}.`);
}

export function install({ path, content }: Service): void {
  makeDirectory(dirname(path), 0o777);
  writeFileAtomic(path, content, 0o644);
}

export function uninstall({ path }: Service): void {
  rmSync(path, { force: true });
}

function systemdUnit(env: PathEnv, command: readonly string[], variables: Record<string, string>): Service {
  const lines = [
    "[Unit]",
    "Description=amux: one place for every coding-agent session",
    "",
    "[Service]",
    // Variables are substituted only here.
    `ExecStart=${command.map((word) => systemdWord(word).replaceAll("$", "$$$$")).join(" ")}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`),
    "Restart=on-failure",
    "# Sessions are separate processes: they keep running when the daemon is stopped or replaced.",
    "KillMode=process",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ];
  return {
    path: join(configHome(env), "systemd", "user", "amuxd.service"),
    content: lines.join("\n"),
    enable: "systemctl --user daemon-reload && systemctl --user enable --now amuxd",
    disable: "systemctl --user disable --now amuxd",
  };
}

function launchAgent(env: PathEnv, command: readonly string[], variables: Record<string, string>): Service {
  const path = join(env.home, "Library", "LaunchAgents", "amuxd.plist");
  const strings = command.map((word) => `    <string>${xml(word)}</string>`);
  const pairs = Object.entries(variables).map(
    ([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`,
  );
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>amuxd</string>
  <key>ProgramArguments</key>
  <array>
${strings.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${pairs.join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;
  return {
    path,
    content,
    enable: `launchctl bootstrap gui/$(id -u) '${path.replaceAll("'", String.raw`'\''`)}'`,
    disable: "launchctl bootout gui/$(id -u)/amuxd",
  };
}

/** Quotes one word of a unit file, with specifiers and escapes neutralised. */
function systemdWord(text: string): string {
  if (/[\n\r\0]/.test(text))
    throw new AgentMuxError("VALIDATION_ERROR", "The path of a service cannot contain a line break.");
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escaped}"`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function pick({ vars }: PathEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (vars[name] ? [[name, vars[name]]] : [])));
}

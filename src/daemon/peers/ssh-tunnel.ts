/**
 * A tunnel to a daemon's Unix socket through the system's ssh, with the user's configuration, keys and known hosts. No prompts,
 * no network listener, and no connection to an unknown host key.
 */
import { execFile, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { oneLine, truncate } from "../../lib/text/text.ts";
import { socketAnswers } from "../../lib/process/socket-probe.ts";
import { isRemoteSocket, type SshAddress } from "../../protocol/peers.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export interface Tunnel {
  /** Leads to the remote daemon. */
  readonly socketPath: string;
  close(): void;
}

const CONNECT_WITHIN_S = 15;
const ASK_WITHIN_MS = 30_000;
const OPEN_WITHIN_MS = 45_000;
const LOOK_EVERY_MS = 50;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_WORDS = 300;

/** A constant: no input of ours goes into a remote shell command. */
const WHERE_IS_IT = `sh -c 'printf "%s\\n" "\${AMUX_HOME:-$HOME/.agent-mux}/amuxd.sock"'`;

/** Resolves when the tunnel is open. `onEnd` is called once with the reason when it closes later. */
export async function openTunnel(
  address: SshAddress,
  socketPath: string,
  vars: Readonly<Record<string, string | undefined>>,
  onEnd: (error: Error) => void,
  signal: AbortSignal,
): Promise<Tunnel> {
  const options = await optionsFor(address, vars, signal);
  const remote = address.socket ?? (await remoteSocket(address, options, vars, signal));
  await endLeftOver(socketPath);
  rmSync(socketPath, { force: true });
  // No ExitOnForwardFailure: other forwards in the user's configuration may be taken by their own session.
  const forward = ["-N", "-o", "StreamLocalBindMask=0177", "-L"];
  const child = spawn("ssh", [...options, ...forward, `${socketPath}:${remote}`, "--", address.host], {
    env: { ...vars },
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.pid !== undefined) writeFileSync(pidFile(socketPath), String(child.pid), { mode: 0o600 });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-MAX_ANSWER_BYTES)));
  let isOpen = false;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    // It has nothing to clean up, and a stopped process reacts to no other signal.
    child.kill("SIGKILL");
    rmSync(socketPath, { force: true });
    rmSync(pidFile(socketPath), { force: true });
  };
  const ended = new Promise<Error>((resolve) => {
    child.once("error", (error) => resolve(new Error(`ssh cannot be started: ${error.message}`)));
    child.once("close", () => resolve(new Error(sshWords(words) || "ssh has ended.")));
  });
  void ended.then((error) => {
    if (isOpen && !isClosed) onEnd(error);
  });
  signal.addEventListener("abort", close, { once: true });
  let failure: Error | undefined;
  void ended.then((error) => (failure = error));
  const deadline = performance.now() + OPEN_WITHIN_MS;
  for (;;) {
    if (await socketAnswers(socketPath)) break;
    if (failure !== undefined || signal.aborted || performance.now() > deadline) {
      close();
      throw failure ?? new Error(sshWords(words) || "ssh did not connect in time.");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  isOpen = true;
  return { socketPath, close };
}

/** ssh outlives a killed daemon; the next one ends it, if it is still the same process. */
async function endLeftOver(socketPath: string): Promise<void> {
  const pid = leftOver(socketPath);
  if (pid === undefined) return;
  const command = await new Promise<string>((resolve) => {
    execFile("ps", ["-o", "args=", "-ww", "-p", String(pid)], (_, stdout) => resolve(stdout));
  });
  if (!command.includes(`${socketPath}:`)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}

function leftOver(socketPath: string): number | undefined {
  try {
    const pid = Number(readText(pidFile(socketPath)));
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined; // None was left.
  }
}

function pidFile(socketPath: string): string {
  return `${socketPath}.pid`;
}

/** Common options of every call. */
async function optionsFor(
  { user, port, host }: SshAddress,
  vars: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string[]> {
  const whom = [...(user === undefined ? [] : ["-l", user]), ...(port === undefined ? [] : ["-p", String(port)])];
  const settings = await run(["-G", ...whom, "--", host], vars, signal);
  return [
    ...whom,
    "-T",
    ...[
      "BatchMode=yes",
      `ConnectTimeout=${CONNECT_WITHIN_S}`,
      "ServerAliveInterval=15",
      "ServerAliveCountMax=3",
    ].flatMap((option) => ["-o", option]),
    // A master connection would outlive us, and the user's other forwards are not wanted here.
    ...["ControlMaster=no", "ControlPath=none", "PermitLocalCommand=no", "ForwardAgent=no", "ForwardX11=no"].flatMap(
      (option) => ["-o", option],
    ),
    ...(checksHostKeys(settings) ? [] : ["-o", "StrictHostKeyChecking=yes"]),
  ];
}

/** The user decides how new hosts become known; disabling the check is refused. */
export function checksHostKeys(settings: string): boolean {
  const value = (name: string): string => new RegExp(`^${name} (.*)$`, "m").exec(settings)?.[1]?.trim() ?? "";
  const isOff = ["no", "off", "false", "accept-new"].includes(value("stricthostkeychecking"));
  const forgets = /(^|\s)(\/dev\/null|none)(\s|$)/.test(value("userknownhostsfile"));
  return !isOff || (value("stricthostkeychecking") === "accept-new" && !forgets);
}

async function remoteSocket(
  { host }: SshAddress,
  options: readonly string[],
  vars: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  // A login script may print something before it.
  const answer = (await run([...options, "--", host, WHERE_IS_IT], vars, signal)).trim().split("\n").at(-1) ?? "";
  if (isRemoteSocket(answer)) return answer;
  throw new Error(
    "The other machine did not say where its daemon's socket is; add it to the address: ssh://host/path/amuxd.sock.",
  );
}

function run(
  args: readonly string[],
  vars: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...vars }, signal, timeout: ASK_WITHIN_MS, maxBuffer: MAX_ANSWER_BYTES };
    const child = execFile("ssh", args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      reject(new Error(isMissing ? "There is no ssh on this machine." : sshWords(stderr) || "ssh has failed."));
    });
    child.stdin?.end();
  });
}

/** ssh's last line, which is why it ended. */
function sshWords(text: string): string {
  const lines = text.split("\n").map((line) => oneLine(line).trim());
  const telling = lines.filter((line) => line !== "" && !line.startsWith("Warning: Permanently added"));
  return truncate(telling.slice(-2).join(" "), MAX_WORDS);
}

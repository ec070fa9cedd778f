/** Queries tmux servers. A server that does not answer is unknown, never empty. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { entriesOf } from "../lib/fs/directory.ts";
import { isUsersOwn } from "../lib/fs/project-directories.ts";
import { withoutControls } from "../lib/text/text.ts";
import type { OperatorKey } from "./terminal-operator.ts";

export interface TmuxPane {
  session: string;
  pid: number;
  title: string;
}

/** A server answers within milliseconds; one that hangs must not block us. */
const ANSWER_MS = 2000;

/** Every pane of a server's sessions. Undefined if it does not answer. */
export async function tmuxPanes(socket: string): Promise<TmuxPane[] | undefined> {
  // The title comes last: it may contain anything but a line break. A session's name contains no colon.
  const format = "#{pane_pid}:#{session_name}:#{pane_title}";
  const lines = await ask(socket, ["list-panes", "-a", "-F", format]);
  return lines?.flatMap((line) => {
    const [pid, session, ...title] = line.split(":");
    return session === undefined ? [] : [{ pid: Number(pid), session, title: title.join(":") }];
  });
}

/** Names of a server's sessions. Undefined if it does not answer. */
export async function tmuxSessions(socket: string): Promise<Set<string> | undefined> {
  const lines = await ask(socket, ["list-sessions", "-F", "#{session_name}"]);
  return lines === undefined ? undefined : new Set(lines);
}

const KEYS: Readonly<Record<OperatorKey, string>> = {
  up: "Up",
  down: "Down",
  left: "Left",
  right: "Right",
  enter: "Enter",
  space: "Space",
  tab: "Tab",
  escape: "Escape",
};

/** Presses a key in a pane, in its program's mode. Rejects if the server or the pane is gone. */
export async function pressInTmux(socket: string, target: string, key: OperatorKey): Promise<void> {
  await act(socket, ["send-keys", "-t", target, KEYS[key]]);
}

/** Each has its own buffer: two at once would be mixed. */
let pastes = 0;

/** Pastes text into a pane. */
export async function pasteIntoTmux(socket: string, target: string, text: string): Promise<void> {
  const buffer = `amux-${process.pid}-${++pastes}`;
  await act(socket, ["set-buffer", "-b", buffer, "--", withoutControls(text)]);
  await act(socket, ["paste-buffer", "-d", "-p", "-r", "-b", buffer, "-t", target]);
}

/** The rows of a pane's screen. */
export async function tmuxScreen(socket: string, target: string): Promise<string[]> {
  return (await act(socket, ["capture-pane", "-p", "-t", target])).split("\n");
}

async function act(socket: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("tmux", ["-S", socket, ...args], {
    timeout: ANSWER_MS,
    killSignal: "SIGKILL",
  });
  return stdout;
}

async function ask(socket: string, args: readonly string[]): Promise<string[] | undefined> {
  try {
    // -u: without a UTF-8 locale tmux would alter names. SIGKILL: a client asked to end while its server hangs exits with 0 and
    // an empty list.
    const { stdout } = await promisify(execFile)("tmux", ["-u", "-S", socket, ...args], {
      timeout: ANSWER_MS,
      killSignal: "SIGKILL",
    });
    const lines = stdout.split("\n").filter((line) => line !== "");
    // A server ends with its last session; an empty answer is not trusted.
    return lines.length === 0 ? undefined : lines;
  } catch {
    return undefined; // Not installed, no server there, or it hangs: nothing is known.
  }
}

/** Sockets of this user's servers, answering or not. */
export function tmuxSockets(vars: Readonly<Record<string, string | undefined>>, uid: number): string[] {
  const directory = join(vars["TMUX_TMPDIR"] || "/tmp", `tmux-${uid}`);
  const own = vars["TMUX"]?.replace(/,[^,]*,[^,]*$/, "");
  // Anyone can make that name in /tmp first.
  const entries = isUsersOwn(directory) ? entriesOf(directory) : [];
  const found = entries.flatMap((entry) => (entry.isSocket() ? [join(directory, entry.name)] : []));
  return [...new Set([...(own === undefined || own === "" ? [] : [own]), ...found])];
}

/** What tmux's servers know of their sessions. A server that does not answer is unknown, never empty. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { entriesOf } from "../lib/directory.ts";

export interface TmuxPane {
  session: string;
  pid: number;
  title: string;
}

/** A server answers within milliseconds; one that hangs must not hang us. */
const ANSWER_MS = 2000;

/** Every pane of a server's sessions. Undefined when it does not answer. */
export async function tmuxPanes(socket: string): Promise<TmuxPane[] | undefined> {
  // The title comes last: it may hold anything but a line break. A session's name holds no colon.
  const format = "#{pane_pid}:#{session_name}:#{pane_title}";
  const lines = await ask(socket, ["list-panes", "-a", "-F", format]);
  return lines?.flatMap((line) => {
    const [pid, session, ...title] = line.split(":");
    return session === undefined ? [] : [{ pid: Number(pid), session, title: title.join(":") }];
  });
}

/** Names of a server's sessions. Undefined when it does not answer. */
export async function tmuxSessions(socket: string): Promise<Set<string> | undefined> {
  const lines = await ask(socket, ["list-sessions", "-F", "#{session_name}"]);
  return lines === undefined ? undefined : new Set(lines);
}

/** Types into a pane, byte for byte. Rejects when the server or the pane is gone. */
export async function typeIntoTmux(socket: string, target: string, text: string): Promise<void> {
  const bytes = [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0"));
  await promisify(execFile)("tmux", ["-S", socket, "send-keys", "-t", target, "-H", ...bytes], {
    timeout: ANSWER_MS,
    killSignal: "SIGKILL",
  });
}

async function ask(socket: string, args: readonly string[]): Promise<string[] | undefined> {
  try {
    // -u: where the locale is not UTF-8, tmux would write other characters than a name has. SIGKILL: a client that is asked to end while its server hangs ends with 0 and an empty list.
    const { stdout } = await promisify(execFile)("tmux", ["-u", "-S", socket, ...args], {
      timeout: ANSWER_MS,
      killSignal: "SIGKILL",
    });
    const lines = stdout.split("\n").filter((line) => line !== "");
    // A server ends with its last session; an answer without any is not believed.
    return lines.length === 0 ? undefined : lines;
  } catch {
    return undefined; // Not installed, no server there, or it hangs: in each case nothing is known.
  }
}

/** Where this user's servers listen, answering or not. */
export function tmuxSockets(vars: Readonly<Record<string, string | undefined>>, uid: number): string[] {
  const directory = join(vars["TMUX_TMPDIR"] || "/tmp", `tmux-${uid}`);
  const own = vars["TMUX"]?.replace(/,[^,]*,[^,]*$/, "");
  const found = entriesOf(directory).flatMap((entry) => (entry.isSocket() ? [join(directory, entry.name)] : []));
  return [...new Set([...(own === undefined || own === "" ? [] : [own]), ...found])];
}

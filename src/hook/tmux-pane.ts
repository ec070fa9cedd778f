/** The tmux session of a process. tmux is asked each time because sessions are renamed and panes move. */
import { patience } from "./patience.ts";

export interface TmuxPane {
  session: string;
  cwd: string;
  /** Path of the server's socket. */
  socket: string;
}

/** tmux answers within milliseconds, unless its server hangs. */
const ANSWER_MS = 400;

/** Undefined outside of tmux, or when tmux does not answer. */
export function tmuxPane(vars: Readonly<Record<string, string | undefined>>): TmuxPane | undefined {
  // `<socket>,<server's pid>,<session's number>`; the socket's path may hold commas itself.
  const socket = vars["TMUX"]?.replace(/,[^,]*,[^,]*$/, "");
  if (socket === undefined || socket === "") return undefined;
  const target = vars["TMUX_PANE"] === undefined ? [] : ["-t", vars["TMUX_PANE"]];
  // A session's name holds no line break; the directory comes last.
  const args = ["-S", socket, "display-message", "-p", ...target, "#{session_name}\n#{pane_current_path}"];
  // Loaded only in tmux: it costs as much as the rest of the program.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("tmux", args, {
    encoding: "utf8",
    timeout: patience(ANSWER_MS, vars),
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (status !== 0) return undefined;
  const end = stdout.indexOf("\n");
  const session = stdout.slice(0, end);
  return end <= 0 ? undefined : { session, cwd: stdout.slice(end + 1).replace(/\n$/, ""), socket };
}

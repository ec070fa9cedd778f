import { AgentMuxError } from "../../core/errors.ts";
import { usageError, type Command } from "../command.ts";
import type { TmuxSession } from "../mux/attach-tmux.ts";
import { chooseNewest, chooseRunning, SESSION_ARGUMENT } from "../mux/choose.ts";
import { shimClient } from "../mux/session-directories.ts";
import { chooseRemote, isRemoteRef } from "../mux/remote.ts";
import { followRemote } from "../mux/follow-remote.ts";
import { followSession } from "../mux/follow-session.ts";

const command: Command = {
  name: "attach",
  description:
    "Shows a session and types into it. Ctrl-b d detaches and leaves it running, Ctrl-b r redraws, Ctrl-b Ctrl-b types a Ctrl-b. When the program exits, its exit code is this command's. tmux sessions open in tmux.",
  arguments: [{ ...SESSION_ARGUMENT, optional: true }],
  options: [
    { name: "read-only", short: "r", description: "watch only: no typing, no resizing" },
    { name: "nested", description: "attach even though this terminal is a session itself" },
  ],
  examples: [
    ["amux attach build", "the session called build"],
    ["amux attach -r sess-4k2m", "watch without touching"],
    ["amux attach shop", "a tmux session, in tmux"],
    ["amux attach build@box", "a session of another machine"],
  ],
  async run(invocation) {
    const [ref] = invocation.arguments;
    const tmux = ref === undefined ? undefined : await tmuxIfNotOurs(ref);
    if (tmux !== undefined) {
      checkTerminal();
      return (await import("../mux/attach-tmux.ts")).attachToTmux(tmux, invocation.flag("read-only"));
    }
    const isRemote = ref !== undefined && isRemoteRef(ref);
    const id = isRemote
      ? (await chooseRemote(ref)).id
      : (ref === undefined ? chooseNewest() : chooseRunning(ref)).meta.id;
    const within = process.env["AMUX_SESSION_ID"];
    if (within === id) throw usageError(`This terminal is session ${id}; it cannot show itself.`);
    if (within !== undefined && !invocation.flag("nested")) {
      throw usageError(`This terminal is session ${within} itself. Detach first, or use --nested.`);
    }
    checkTerminal();
    const readOnly = invocation.flag("read-only");
    if (isRemote) return followRemote(id, invocation.output, { readOnly });
    return followSession(await shimClient(), id, invocation.output, { readOnly });
  },
};

export default command;

function checkTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new AgentMuxError("STDIN_NOT_AVAILABLE", "amux attach needs a terminal. See amux tail -f.");
}

/** A local name or prefix wins over a tmux session. */
async function tmuxIfNotOurs(ref: string): Promise<TmuxSession | undefined> {
  try {
    chooseRunning(ref);
    return undefined;
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== "SESSION_NOT_FOUND") return undefined;
    return (await import("../mux/attach-tmux.ts")).tmuxSessionNamed(ref);
  }
}

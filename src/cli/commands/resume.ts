import type { Command } from "../command.ts";
import { usageError } from "../command.ts";
import { chooseEnded, SESSION_ARGUMENT } from "../mux/choose.ts";
import { revivalOf } from "../mux/revive.ts";
import { isRemoteRef, reviveRemote } from "../mux/remote.ts";
import { followRemote } from "../mux/follow-remote.ts";
import { startSession } from "../mux/start.ts";

const command: Command = {
  name: "resume",
  description:
    "An agent resumes its conversation where it can. Any other command starts again in its directory. Without a terminal, its output is printed until it ends; -d does not wait.",
  arguments: [{ ...SESSION_ARGUMENT, completes: "ended" }],
  options: [{ name: "detach", short: "d", description: "stay in the background" }],
  examples: [["amux resume build", "start it again and attach"]],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    if (isRemoteRef(ref)) {
      const id = await reviveRemote(ref, "resume");
      return invocation.flag("detach") ? undefined : followRemote(id, invocation.output);
    }
    const session = chooseEnded(ref);
    if (session.alive) throw usageError(`Session ${session.meta.id} is running. See amux attach.`);
    return startSession(await revivalOf(session), { detached: invocation.flag("detach") }, invocation.output);
  },
};

export default command;

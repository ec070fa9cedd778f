import type { Command } from "../command.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { isRemoteRef, reviveRemote } from "../mux/remote.ts";
import { followRemote } from "../mux/follow-remote.ts";
import { shimClient } from "../mux/session-directories.ts";
import { revivalOf } from "../mux/revive.ts";
import { startSession } from "../mux/start.ts";

const command: Command = {
  name: "restart",
  description: "Same as amux kill, then amux resume.",
  arguments: [ANY_SESSION_ARGUMENT],
  options: [{ name: "detach", short: "d", description: "stay in the background" }],
  examples: [["amux restart server -d", "restart a server after a settings change"]],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    if (isRemoteRef(ref)) {
      const id = await reviveRemote(ref, "restart");
      return invocation.flag("detach") ? undefined : followRemote(id, invocation.output);
    }
    const session = chooseSession(ref);
    await (await shimClient()).kill(session.meta.id);
    return startSession(await revivalOf(session), { detached: invocation.flag("detach") }, invocation.output);
  },
};

export default command;

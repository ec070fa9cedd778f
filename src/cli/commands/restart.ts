import type { Command } from "../command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../mux/choose.ts";
import { isRemoteRef, reviveRemote } from "../mux/remote.ts";
import { stayWithRemote } from "../mux/stay-remote.ts";
import { shimClient } from "../mux/places.ts";
import { revivalOf } from "../mux/revive.ts";
import { startSession } from "../mux/start.ts";

const command: Command = {
  name: "restart",
  summary: "End a session and bring it back",
  description: "As amux kill and then amux resume. Other viewers see it end.",
  arguments: [SESSION_ARGUMENT],
  options: [{ name: "detach", short: "d", description: "leave it in the background" }],
  examples: [["amux restart server -d", "a server that has to read its settings again"]],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    if (isRemoteRef(ref)) {
      const id = await reviveRemote(ref, "restart");
      return invocation.flag("detach") ? undefined : stayWithRemote(id, invocation.output, false);
    }
    const session = chooseSession(ref);
    await (await shimClient()).kill(session.meta.id);
    return startSession(await revivalOf(session), { detached: invocation.flag("detach") }, invocation.output);
  },
};

export default command;

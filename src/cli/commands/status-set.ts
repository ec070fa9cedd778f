import { STATES } from "../../core/state.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { asObject } from "../../lib/fields.ts";
import { oneLine, truncate } from "../../lib/text.ts";
import type { StatusFile } from "../../status/status-file.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { statusStore } from "../live-sessions.ts";

const MAX_MESSAGE = 500;

const command: Command = {
  name: "status set",
  summary: "Set the status of a session from a script",
  description:
    "Writes the status file of a session, for agents and scripts that have no hooks of amux. Fields that are not named stay as they are.",
  arguments: [
    { name: "session", description: "the tmux session's name" },
    { name: "state", description: STATES.join(", "), completes: STATES },
  ],
  options: [
    { name: "message", value: "text", description: "what is asked or done" },
    { name: "agent", value: "type", description: "the agent it is about, when it is not the main one" },
    { name: "cwd", value: "dir", description: "its working directory" },
    { name: "pbi", value: "id", description: "the item of the backlog it works on" },
    { name: "pbi-title", value: "text", description: "that item's title" },
  ],
  examples: [
    ["amux status set build working --message 'make all'", "a script that is busy"],
    ["amux status set shop idle --agent aider", "another agent in the same session"],
  ],
  async run(invocation) {
    const [session = "", state = ""] = invocation.arguments;
    if (!(STATES as readonly string[]).includes(state))
      throw usageError(`A state is one of ${STATES.join(", ")}, not "${state}".`);
    const written = statusStore().update(session, (file) => withOptions(file, state, invocation));
    if (written === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is writing this status file; try again.", {
        recoverable: true,
      });
    if (invocation.output.json) await invocation.output.writeJson(written);
  },
};

export default command;

function withOptions(file: StatusFile, state: string, invocation: Invocation): StatusFile {
  const timestamp = Math.floor(Date.now() / 1000);
  const said = invocation.text("message");
  const message = said === undefined ? undefined : truncate(oneLine(said), MAX_MESSAGE);
  const more = {
    ...given("cwd", invocation.text("cwd")),
    ...given("current_pbi", invocation.text("pbi")),
    ...given("current_pbi_title", invocation.text("pbi-title")),
  };
  const agent = invocation.text("agent");
  if (agent === undefined) return { ...file, ...more, status: state, timestamp, message: message ?? "" };
  const agents = asObject(file["agents"]) ?? {};
  return {
    ...file,
    ...more,
    agents: {
      ...agents,
      [agent]: { ...asObject(agents[agent]), status: state, timestamp, ...given("message", message) },
    },
  };
}

function given(field: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [field]: value };
}

import { join } from "node:path";
import { STATES } from "../../core/state.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { askRunner } from "../../client/runner-http.ts";
import { asObject } from "../../lib/json/fields.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { AMUX_SESSION, PBI_SOURCE, type StatusFile } from "../../status/status-file.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { statusStore } from "../tmux-sessions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { isRemoteRef } from "../mux/remote.ts";
import { findSession } from "../mux/choose.ts";

const MAX_MESSAGE = 500;

/** An amux session knows these by itself. */
const TMUX_OPTIONS = ["agent", "cwd"];

const command: Command = {
  name: "status set",
  description:
    "Reports a status for a running amux session, or writes the status file of a tmux session. For agents and scripts without amux hooks. Fields you do not name keep their values.",
  arguments: [
    { name: "session", description: "its id, slug or name, or the tmux session's name", completes: "sessions" },
    { name: "state", description: STATES.join(", "), completes: STATES },
  ],
  options: [
    { name: "message", value: "text", description: "its question or activity" },
    { name: "agent", value: "type", description: "the agent, if not the session's main one" },
    { name: "cwd", value: "dir", description: "its working directory" },
    { name: "pbi", value: "id", description: "id of the current backlog item" },
    { name: "pbi-title", value: "text", description: "title of that item" },
  ],
  examples: [
    ["amux status set build working --message 'make all'", "report that a script is busy"],
    ["amux status set shop idle --agent aider", "a second agent in the same session"],
  ],
  async run(invocation) {
    const [session = "", state = ""] = invocation.arguments;
    if (!(STATES as readonly string[]).includes(state))
      throw usageError(`A state is one of ${STATES.join(", ")}, not "${state}".`);
    // Its name would create another session here.
    if (isRemoteRef(session))
      throw usageError(`${session} is on another machine; its status is set there, with amux status set.`);
    const own = findSession(session);
    if (own?.alive === true) return report(own.meta, state, invocation);
    const file = statusStore().read(session);
    const isTmux = file !== undefined && file[AMUX_SESSION] === undefined;
    if (own !== undefined && !isTmux)
      throw new AgentMuxError("SESSION_NOT_FOUND", `Session ${own.meta.id} is not running.`);
    const kept = written(statusStore().update(session, (before) => withOptions(before, state, invocation)));
    if (invocation.output.json) return invocation.output.writeJson(kept);
    // A mistyped name would appear as a session in every list.
    if (file === undefined)
      invocation.output.note(
        `${session} had no status file yet; amux status shows it from now on. If it was mistyped, remove ${join(statusStore().directory, `${session}.json`)}.`,
      );
  },
};

export default command;

/** Sent to the session's runner, as if from its program. */
async function report(meta: SessionMeta, state: string, invocation: Invocation): Promise<void> {
  const refused = TMUX_OPTIONS.find((name) => invocation.text(name) !== undefined);
  if (refused !== undefined)
    throw usageError(`--${refused} is for tmux sessions; ${meta.id} is an amux session and reports that itself.`);
  const body = { state, source: "agent", event: "amux status set", ...given("message", messageOf(invocation)) };
  const { socket } = sessionFiles(sessionDirectories(), meta.id);
  const answer = await askRunner(socket, { method: "POST", path: "/hook", body: JSON.stringify(body) });
  if (answer.status !== 204)
    throw new AgentMuxError(
      "INVALID_STATE_TRANSITION",
      `The session did not accept the input: ${answer.body.toString("utf8").trim()}`,
    );
  const backlog = backlogFields(invocation);
  if (Object.keys(backlog).length > 0) keepBeside(meta, backlog);
  if (invocation.output.json) await invocation.output.writeJson({ id: meta.id, state, ...backlog });
}

/** Fields the runner does not know go into the session's status file. */
function keepBeside({ id, slug = id }: SessionMeta, fields: Record<string, string>): void {
  const store = statusStore();
  const found = store.list().find(({ file }) => file[AMUX_SESSION] === id);
  const name = found?.name ?? (store.read(slug) === undefined ? slug : id);
  written(
    store.update(name, ({ [PBI_SOURCE]: _, ...file }) => ({ ...(file as StatusFile), ...fields, [AMUX_SESSION]: id })),
  );
}

/** Without a file, its lock was not free in time. */
function written(file: StatusFile | undefined): StatusFile {
  if (file !== undefined) return file;
  throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is writing this status file; try again.", {
    recoverable: true,
  });
}

function backlogFields(invocation: Invocation): Record<string, string> {
  return {
    ...given("current_pbi", invocation.text("pbi")),
    ...given("current_pbi_title", invocation.text("pbi-title")),
  };
}

function withOptions(before: StatusFile, state: string, invocation: Invocation): StatusFile {
  const { [PBI_SOURCE]: _, ...rest } = before;
  const file = (invocation.text("pbi") === undefined ? before : rest) as StatusFile;
  const timestamp = Math.floor(Date.now() / 1000);
  const message = messageOf(invocation);
  const more = {
    ...given("cwd", invocation.text("cwd")),
    ...backlogFields(invocation),
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

function messageOf(invocation: Invocation): string | undefined {
  const said = invocation.text("message");
  return said === undefined ? undefined : truncate(oneLine(said), MAX_MESSAGE);
}

function given(field: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [field]: value };
}

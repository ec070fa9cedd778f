import { createClient } from "../../index.ts";
import { EXPORT_FORMATS, exportSession, type ExportFormat } from "../../history/export/export.ts";
import type { Command } from "../command.ts";
import { progressOn } from "../filters.ts";
import {
  noteRedacted,
  redactedIfAsked,
  REDACT_OPTIONS,
  refuseIdleUnsure,
  refuseRemoteRedaction,
} from "../redact-option.ts";
import { hasMachine, resolveReference, SESSION_ARGUMENTS } from "../session-reference.ts";

const command: Command = {
  name: "sessions export",
  description: "Writes a session in full to standard output. Sessions of any size are streamed.",
  arguments: SESSION_ARGUMENTS,
  options: [
    {
      name: "format",
      value: "format",
      description: "json, jsonl (a header line, then a message per line), markdown or html (default json)",
      choices: EXPORT_FORMATS,
    },
    { name: "raw", description: "with json: add the agent's own records" },
    ...REDACT_OPTIONS,
  ],
  examples: [
    ["amux sessions export claude 5cbe954d --format html > session.html", "one self-contained page"],
    ["amux sessions export codex 01a1dce3 --format jsonl | wc -l", "messages, and one line for the header"],
    ["amux sessions export codex 01a1dce3 --format html --redact > to-send.html", "without its secrets"],
  ],
  async run(invocation) {
    const { output } = invocation;
    refuseIdleUnsure(invocation);
    const format = (invocation.text("format") ?? "json") as ExportFormat;
    if (hasMachine(invocation.arguments)) {
      const { exportRemote, remoteReference } = await import("../peers/remote-history.ts");
      const reference = remoteReference(invocation.arguments);
      if (reference !== undefined) refuseRemoteRedaction(invocation, reference.peer);
      if (reference !== undefined) return exportRemote(invocation, reference, format);
    }
    const client = createClient();
    const { agent, sessionId } = await resolveReference(client, invocation.arguments);
    const opened = await client.sessions.open(agent, sessionId, { onProgress: progressOn(output) });
    const view = await redactedIfAsked(invocation, opened);
    await output.write(exportSession(view, format, { raw: invocation.flag("raw") }));
    noteRedacted(output, view);
  },
};

export default command;

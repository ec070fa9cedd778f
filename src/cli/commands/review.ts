import { commentedLines } from "../../changes/review/commented-lines.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { WorkSubject } from "../../tui/services.ts";
import { changedSession } from "../changed-session.ts";
import type { Command } from "../command.ts";
import { styledLines } from "../format/transcript.ts";
import { localSessions } from "../local-sessions.ts";
import type { Output } from "../output.ts";
import { remoteReference } from "../peers/remote-history.ts";
import { REVIEWED_SESSION, reviewOf } from "../review/review-access.ts";
import { hasMachine } from "../session-reference.ts";
import { changesNamed } from "./changes.ts";

const command: Command = {
  name: "review",
  description:
    "Shows what a session changed, with the comments below their lines. On a terminal it opens on the whole screen: read, select lines, comment, send.",
  arguments: [REVIEWED_SESSION],
  examples: [
    ["amux review shop", "read what a session changed, and comment on it"],
    ["amux review shop | less", "what was changed, commented, and what became of it"],
  ],
  async run({ arguments: [ref = ""], output }) {
    const canOpen = output.isTerminal && process.stdin.isTTY && process.env["TERM"] !== "dumb";
    if (canOpen && !output.json) {
      const { openInterface } = await import("../open-interface.ts");
      return openInterface({ changesOf: await subjectOf(ref) });
    }
    const review = await (await reviewOf(ref)).read();
    if (output.json) return output.writeJson(review);
    const changes = await changesOf(ref, output);
    const lines = [...styledLines(commentedLines(changes?.files ?? [], review.comments), output)];
    if (lines.length === 0) return output.note("Nothing was changed, and nothing commented.");
    const about = changes === undefined ? [] : [`${output.style("dim", oneLine(changes.base.sentence))}\n`];
    await output.page([...about, ...lines]);
  },
};

export default command;

async function subjectOf(ref: string): Promise<WorkSubject> {
  if (hasMachine([ref]) && remoteReference([ref]) !== undefined)
    return { title: ref, remote: { id: ref, isRunning: true } };
  const { subject, name } = await changedSession(localSessions(), ref);
  return { ...subject, title: name };
}

/** The comments are shown also when there is nothing to compare any more. */
async function changesOf(ref: string, output: Output): Promise<SessionChanges | undefined> {
  try {
    return (await changesNamed(ref, { hunks: true })).changes;
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    output.note(error.message);
    return undefined;
  }
}

import { fileHeading, fileLines } from "../../changes/diff/change-lines.ts";
import { recordLook } from "../../changes/diff/looks.ts";
import { sessionChanges } from "../../changes/diff/session-changes.ts";
import { lookKey, type ChangesOptions, type ChangesSubject } from "../../changes/diff/subject.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { processEnv, workingDirectory } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { changedSession } from "../changed-session.ts";
import { usageError, type Command, type Invocation } from "../command.ts";
import { styledLines } from "../format/transcript.ts";
import { localSessions } from "../local-sessions.ts";
import type { Output } from "../output.ts";
import { hasMachine } from "../session-reference.ts";

const command: Command = {
  name: "changes",
  description:
    "Shows what a session changed in its repository, from where it began to where it ended, with the session and message that made each hunk. Untracked files count. Without a session: the newest of this repository.",
  arguments: [
    {
      name: "session",
      description: "<agent>:<id>, the id alone, or the name of a terminal session; id@peer on another machine",
      optional: true,
      completes: "all-sessions",
    },
  ],
  rest: { name: "path", description: "only these files and directories" },
  options: [
    { name: "stat", description: "files with counts, without lines" },
    { name: "staged", description: "only what is staged" },
    { name: "committed", description: "only what is committed" },
    { name: "since-look", description: "only what you have not seen yet; each display on a terminal counts as a look" },
    { name: "mine", description: "only hunks that a recorded edit of this session made" },
  ],
  examples: [
    ["amux changes", "what the newest session of this repository changed"],
    ["amux changes shop --stat", "files that a terminal session changed"],
    ["amux changes claude:5cbe954d --mine", "of a past session, without the work of others"],
    ["amux changes shop --since-look -- src", "what is new below src"],
    ["amux changes shop --json | jq '.files[].path'", "for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [ref] = invocation.arguments;
    const options = optionsOf(invocation);
    const { changes, name, subject } = await changesNamed(ref, options);
    await show(changes, name, invocation);
    if (subject !== undefined && output.isTerminal && !output.json && options.hunks === true) {
      const seen = changes.files.map(({ path, hunks = [] }) => ({ path, hunks: hunks.flatMap(({ id }) => id ?? []) }));
      recordLook(processEnv(), lookKey(subject), seen);
    }
  },
};

export default command;

/** `subject`: absent for a session of another machine. */
export async function changesNamed(
  ref: string | undefined,
  options: ChangesOptions,
): Promise<{ changes: SessionChanges; name: string; subject?: ChangesSubject }> {
  if (ref !== undefined && hasMachine([ref])) {
    const { remoteChanges } = await import("../peers/remote-changes.ts");
    const changes = await remoteChanges(ref, options);
    if (changes !== undefined) return { changes, name: ref };
  }
  const client = localSessions();
  const { subject, name } = await changedSession(client, ref);
  const changes = await sessionChanges({ sessions: client.sessions, env: processEnv() }, subject, options);
  return { changes, name, subject };
}

function optionsOf(invocation: Invocation): ChangesOptions {
  const options = {
    staged: invocation.flag("staged"),
    committed: invocation.flag("committed"),
    sinceLook: invocation.flag("since-look"),
    mine: invocation.flag("mine"),
    hunks: !invocation.flag("stat"),
    ...optional("paths", invocation.rest),
    pathsFrom: workingDirectory(),
  };
  if (options.staged && options.committed) throw usageError("--staged and --committed exclude each other.");
  return options;
}

async function show(changes: SessionChanges, name: string, invocation: Invocation): Promise<void> {
  const { output } = invocation;
  if (output.json) return output.writeJson(changes);
  await output.page(text(changes, name, invocation.flag("stat"), output));
}

function* text(changes: SessionChanges, name: string, isStat: boolean, output: Output): Generator<string> {
  const { base, files, added, removed, notes = [], truncated } = changes;
  const sum = `${files.length} ${files.length === 1 ? "file" : "files"}, +${added} −${removed}`;
  yield `${output.style("bold", oneLine(name))}  ${sum}\n`;
  for (const note of [base.sentence, ...notes, ...(truncated === undefined ? [] : [truncated])]) {
    yield `${output.style("dim", oneLine(note))}\n`;
  }
  if (isStat) {
    yield* files.map((file) => `${fileHeading(file)}${file.omitted === undefined ? "" : `  ${file.omitted}`}\n`);
    return;
  }
  for (const file of files) {
    yield "\n";
    yield* styledLines(fileLines(file), output);
  }
}

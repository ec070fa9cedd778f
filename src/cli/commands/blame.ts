import { blame, localSource, type BlameSource } from "../../changes/blame/blame.ts";
import { processEnv, workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { ARCHIVE_OPTIONS, queryClient } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { blameLines } from "../format/blame-table.ts";
import { localSessions } from "../local-sessions.ts";
import { PEERS_OPTION } from "../peers/peers-option.ts";

const command: Command = {
  name: "blame",
  description: `Shows which message of which session wrote the lines of a file, a commit or a pull
request, with the prompt that led to it and what it cost. Three answers are possible:

  proved by this edit        the recorded edit has exactly this text, and no other session's has
  near in time and file      the same in another format, a similar line, or one of two copies
  not by a session we know   a person, a shell command, or a session that is gone

A person who removes a session's line and types the same again, without a commit in between,
cannot be told from the session.`,
  arguments: [{ name: "target", description: "FILE, FILE:LINE, FILE:LINE-LINE, or a commit", optional: true }],
  options: [
    { name: "pr", value: "number", description: "the lines of a pull request (needs GitHub's gh)" },
    PEERS_OPTION,
    ...ARCHIVE_OPTIONS,
  ],
  examples: [
    ["amux blame src/cart.js", "who wrote each line"],
    ["amux blame src/cart.js:40-60", "some of them"],
    ["amux blame HEAD", "the last commit"],
    ["amux blame --pr 12", "a pull request"],
    ["amux blame src/cart.js --peers", "with the sessions of all linked machines"],
    ["amux blame HEAD --json | jq '.sessions[] | {title, cost}'", "what the sessions behind a commit cost"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [target] = invocation.arguments;
    const pullRequest = invocation.count("pr");
    if ((target === undefined) === (pullRequest === undefined))
      throw usageError("Name a file, a commit, or a pull request with --pr: one of them.");
    const local = localSessions();
    const sources: BlameSource[] = [localSource(local.sessions)];
    const archive = await queryClient(invocation, local);
    const missing: string[] = [];
    if (archive.sessions !== local.sessions) {
      const { archivedEdits } = await import("../peers/foreign-edits.ts");
      sources.push(archivedEdits(archive.sessions));
    }
    if (invocation.flag("peers")) {
      const { peerEdits } = await import("../peers/foreign-edits.ts");
      sources.push(await peerEdits(invocation, missing));
    }
    output.progress("reading sessions of this repository");
    const question = {
      ...optional("target", target),
      ...optional("pullRequest", pullRequest),
      cwd: workingDirectory(),
    };
    const report = await blame(sources, question, processEnv());
    output.clearProgress();
    await (output.json ? output.writeJson(report) : output.page(blameLines(report, output)));
    return missing.length > 0 ? INCOMPLETE : 0;
  },
};

/** As other commands with --peers. */
const INCOMPLETE = 16;

export default command;

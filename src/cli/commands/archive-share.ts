import { ArchiveSessions } from "../../archive/answers/archive-sessions.ts";
import { checkTeam } from "../../archive/members.ts";
import { shareSessions } from "../../archive/share.ts";
import { connected } from "../../archive/store/connection.ts";
import { optional } from "../../lib/values/optional.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { count } from "../format/figures.ts";
import { resolveReference } from "../session-reference.ts";

const command: Command = {
  name: "archive share",
  description: "Only the owner sees a session in the archive, until it is shared with a team.",
  arguments: [{ name: "session", description: "one of your sessions, as <agent>:<id>; or use --all", optional: true }],
  options: [
    TO_OPTION,
    { name: "team", value: "name", description: "share it with this team" },
    { name: "private", description: "stop sharing it" },
    { name: "all", description: "all sessions you pushed" },
  ],
  examples: [
    ["amux archive share claude:5cbe954d --team shop", "show one session to a team"],
    ["amux archive share --all --private", "stop sharing everything"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const team = invocation.text("team");
    if ((team === undefined) !== invocation.flag("private")) throw usageError("Give --team <name>, or --private.");
    const [reference] = invocation.arguments;
    if ((reference === undefined) !== invocation.flag("all")) throw usageError("Name a session, or give --all.");
    const address = archiveOf(invocation);
    const session =
      reference === undefined
        ? undefined
        : await resolveReference({ sessions: new ArchiveSessions(address, processEnv()) }, [reference]);
    const changed = await connected(address, (connection) =>
      shareSessions(connection, {
        ...optional("session", session),
        team: team === undefined ? null : checkTeam(team),
      }),
    );
    if (output.json) return output.writeJson({ changed });
    const how = team === undefined ? "now private" : `now shared with ${team}`;
    await output.write(`${count(changed)} ${changed === 1 ? "session is" : "sessions are"} ${how}.\n`);
  },
};

export default command;

import { addMember, listMembers, removeMember, type Member } from "../../archive/members.ts";
import { connected } from "../../archive/store/connection.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { table } from "../format/table.ts";

const command: Command = {
  name: "archive members",
  description:
    "Without an action: lists members and their teams (the archive's owner sees all, others their own). add gives a login role of the database access and puts it into a team; remove takes it out of one team, or of all.",
  arguments: [
    { name: "action", description: "add or remove", optional: true, completes: ["add", "remove"] },
    { name: "role", description: "the person's login role in the database", optional: true },
  ],
  options: [TO_OPTION, { name: "team", value: "name", description: "name of the team" }],
  examples: [
    ["amux archive members", "who is in which team"],
    ["amux archive members add bob --team shop", "let bob push, and see sessions shared with shop"],
    ["amux archive members remove bob", "remove bob's access"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [action, member] = invocation.arguments;
    const team = invocation.text("team");
    if (action !== undefined && action !== "add" && action !== "remove") {
      throw usageError(`amux archive members takes add or remove, not "${action}".`);
    }
    if (action !== undefined && member === undefined)
      throw usageError(`Missing role name: amux archive members ${action} <role>.`);
    if (action === "add" && team === undefined) throw usageError("Give the team with --team <name>.");
    await connected(archiveOf(invocation), async (connection) => {
      if (action === "add") await addMember(connection, { member: member!, team: team! });
      if (action === "remove") await removeMember(connection, member!, team);
      const members = await listMembers(connection);
      if (output.json) return output.writeJson(members);
      if (members.length === 0) return output.note("No members yet; amux archive members add <role> --team <name>.");
      const columns = [
        { title: "TEAM", value: (row: Member) => row.team },
        { title: "MEMBER", value: (row: Member) => row.member },
      ];
      const lines = table(members, columns, output.width, (text) => output.style("dim", text));
      await output.write(lines.map((line) => `${line}\n`));
    });
  },
};

export default command;

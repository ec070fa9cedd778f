import { keepAll, keptFrom, retain } from "../../archive/retention.ts";
import { connected } from "../../archive/store/connection.ts";
import { requireSchema } from "../../archive/store/migrate.ts";
import { parseDateRange } from "../../lib/values/typed-date.ts";
import { archiveOf, TO_OPTION } from "../archive-options.ts";
import { usageError, type Command } from "../command.ts";
import { count } from "../format/figures.ts";

const command: Command = {
  name: "archive retention",
  description:
    "Shows how many of your sessions in the archive were last changed before a date; with --yes they are removed, and no push sends them again. Without --older-than it shows the retention date. The sessions on this machine stay unchanged.",
  options: [
    TO_OPTION,
    { name: "older-than", value: "age", description: "90d, 2w, 6mo, 1y, or a date" },
    { name: "yes", description: "remove older sessions from the archive" },
    { name: "off", description: "remove the date: all sessions may be sent again" },
  ],
  examples: [
    ["amux archive retention --older-than 90d", "show what would be removed"],
    ["amux archive retention --older-than 90d --yes", "remove it"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const age = invocation.text("older-than");
    const [isOff, isSure] = [invocation.flag("off"), invocation.flag("yes")];
    if (isOff && age !== undefined) throw usageError("Give --older-than or --off, not both.");
    if (isSure && age === undefined) throw usageError("--yes is for --older-than <age>.");
    const before = age === undefined ? undefined : oldest(age);
    await connected(archiveOf(invocation), async (connection) => {
      await requireSchema(connection);
      if (isOff) await keepAll(connection);
      if (before === undefined) {
        const kept = await keptFrom(connection);
        if (output.json) return output.writeJson({ before: kept === 0 ? null : new Date(kept) });
        return output.write(
          kept === 0 ? "Everything is kept.\n" : `Sessions last changed before ${day(kept)} are not kept.\n`,
        );
      }
      const found = await retain(connection, { before, remove: isSure });
      if (output.json) return output.writeJson({ ...found, removed: isSure });
      const { sessions, messages, runs } = found;
      const what = `${count(sessions)} sessions with ${count(messages)} messages and ${count(runs)} runs`;
      await output.write(
        isSure
          ? `Removed: ${what}, last changed before ${day(before.getTime())}.\n`
          : `${what} were last changed before ${day(before.getTime())}. Nothing was removed; --yes removes them.\n`,
      );
    });
  },
};

export default command;

const DAY_MS = 86_400_000;

/** Refuses minutes and hours: 6m probably means months, and removal is final. */
function oldest(age: string): Date {
  const now = new Date();
  const from = /\d(?:m|min|h)$/i.test(age.trim()) ? undefined : parseDateRange(age, now)?.from;
  if (from !== undefined && from <= now.getTime() - DAY_MS) return new Date(from);
  throw usageError(
    `--older-than takes an age of a day or more (90d, 2w, 6mo, 1y; months are mo) or a past date; not "${age}".`,
  );
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

import { AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { oneLine, printableJson } from "../../lib/text/text.ts";
import type { ProjectEvent } from "../../status/projects/project-events.ts";
import type { ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import { ProjectWatch } from "../../status/projects/project-watch.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { tildePath } from "../format/tilde-path.ts";
import { liveSessions } from "../live-sessions.ts";
import type { Output } from "../output.ts";

const LOOK_EVERY_MS = 60_000;

const command: Command = {
  name: "projects",
  description:
    "Shows repository, tasks and sessions of every directory with a live session. Changes are recorded as events and kept for a day: commit, task_completed, task_started, session_status_change, pbi_completed, branch_created, pr_created. The daemon checks every minute. A project's own task program runs only after amux trust.",
  options: [{ name: "watch", description: "check every minute and print events" }],
  examples: [
    ["amux projects", "current state and the events of the last day"],
    ["amux projects --watch --json", "one line of JSON for every event"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const answering = new AnsweringDirectories((place) =>
      output.note(`${oneLine(place)} does not answer. Projects that need it are left out.`),
    );
    const watch = new ProjectWatch({ env: processEnv(), sessions: sessionsHere, answering });
    const { snapshots, events } = await watch.look();
    if (!invocation.flag("watch")) {
      const recent = watch.recent();
      if (output.json) return output.writeJson({ projects: snapshots, events: recent });
      if (snapshots.length + recent.length === 0) {
        return output.note("No live sessions, and no events in the last day.");
      }
      for (const { dir, untrusted } of snapshots) {
        if (untrusted !== undefined)
          output.note(
            `Tasks of ${dir} come from its program ${untrusted}, which is not trusted. See amux trust --help.`,
          );
      }
      return output.write([...snapshots.map((each) => projectLine(each, output)), ...recent.map(eventLine)]);
    }
    for (let news = events; ; news = (await watch.look()).events) {
      await output.write(
        news.map((event) => (output.json ? `${printableJson(JSON.stringify(event))}\n` : eventLine(event))),
      );
      await new Promise((proceed) => setTimeout(proceed, LOOK_EVERY_MS));
    }
  },
};

export default command;

/** Directories of other machines are not read from here. */
async function sessionsHere(): Promise<SessionView[]> {
  return (await liveSessions()).filter(({ peer }) => peer === undefined);
}

function projectLine(each: ProjectSnapshot, output: Output): string {
  const { name, dir, branch, dirty, commits_ahead, tasks, status, session_count, pr_num, current_pbi } = each;
  const parts = [
    output.style("bold", oneLine(name)),
    oneLine(tildePath(dir)),
    oneLine(`${branch}${dirty ? "*" : ""}${commits_ahead > 0 ? ` +${commits_ahead}` : ""}`),
    pr_num === undefined ? "" : `#${pr_num}`,
    current_pbi === undefined ? "" : oneLine(`${current_pbi.id} ${current_pbi.title}`),
    tasks.total === 0 ? "" : `${tasks.done}/${tasks.total} tasks`,
    `${session_count} ${session_count === 1 ? "session" : "sessions"}, ${oneLine(status) || "unknown"}`,
  ];
  return `${parts.filter((part) => part !== "").join("  ")}\n`;
}

function eventLine({ type, timestamp, project, detail }: ProjectEvent): string {
  const when = age(new Date(timestamp * 1000)).padStart(4);
  return `${when}  ${oneLine(project)}  ${type.replaceAll("_", " ")}  ${oneLine(detail)}\n`;
}

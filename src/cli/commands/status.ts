import { isUrgent, STATES, urgency } from "../../core/state.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { Command } from "../command.ts";
import { statusTable } from "../format/status-table.ts";
import { liveSessions } from "../live-sessions.ts";
import { ANY_SESSION_ARGUMENT } from "../mux/choose.ts";
import { sessionNamed } from "../mux/session-named.ts";
import { sessionJson } from "../session-json.ts";

const FORMATS = ["table", "plain", "tmux"] as const;

const command: Command = {
  name: "status",
  description:
    "Shows what each session is doing and since when, most urgent first. tmux sessions are known by the status files that hooks write.",
  arguments: [{ ...ANY_SESSION_ARGUMENT, description: "only this session, running or ended", optional: true }],
  options: [
    { name: "format", value: "format", description: "a table, or counts for a status line", choices: FORMATS },
    { name: "all", description: "with counts: all states, not only those that need you" },
  ],
  examples: [
    ["amux status", "all sessions, most urgent first"],
    ["amux status build", "one of them"],
    ["amux status --format tmux", "for tmux: set -g status-right '#(amux status --format tmux)'"],
    ["amux status --json", "all fields, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const [ref] = invocation.arguments;
    if (ref !== undefined) {
      const session = await sessionNamed(ref);
      return output.json
        ? output.writeJson(sessionJson(session))
        : output.write(statusTable([session], output).map((line) => `${line}\n`));
    }
    const sessions = (await liveSessions()).sort(byUrgency);
    if (output.json) return output.writeJson(sessions.map(sessionJson));
    const format = invocation.text("format") ?? "table";
    if (format !== "table") return output.write(counts(sessions, format === "tmux", invocation.flag("all")));
    if (sessions.length === 0) {
      output.note("No sessions. amux hooks install lets agents in tmux report their status.");
      return;
    }
    await output.write(statusTable(sessions, output).map((line) => `${line}\n`));
  },
};

export default command;

/** Sessions that need the user first, then working ones, then the rest; latest first. */
function byUrgency(a: SessionView, b: SessionView): number {
  return tier(a) - tier(b) || b.updatedMs - a.updatedMs;
}

function tier({ top, team }: SessionView): number {
  if (isUrgent(top.status) || team.some((member) => isUrgent(member.status))) return 0;
  return top.status === "working" ? 1 : 2;
}

const TMUX_COLOURS: Readonly<Record<string, string>> = {
  permission: "magenta",
  waiting: "yellow",
  working: "cyan",
  error: "red",
};

/** `2 permission 1 waiting`; empty if none waits. */
function counts(sessions: readonly SessionView[], forTmux: boolean, all: boolean): string {
  const numbers = new Map<string, number>();
  for (const { top } of sessions) numbers.set(top.status, (numbers.get(top.status) ?? 0) + 1);
  const parts = [...numbers]
    .filter(([status]) => (all ? (STATES as readonly string[]).includes(status) : isUrgent(status)))
    .sort(([a], [b]) => urgency(a) - urgency(b))
    .map(([status, number]) => {
      const colour = forTmux ? TMUX_COLOURS[status] : undefined;
      return colour === undefined ? `${number} ${status}` : `#[fg=${colour}]${number} ${status}#[default]`;
    });
  return parts.length === 0 ? "" : `${parts.join(" ")}\n`;
}

import { conversationOf } from "../../client/conversation.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { isUrgent } from "../../core/state.ts";
import { oneLine } from "../../lib/text.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { homely } from "../format/session-table.ts";
import { table } from "../format/table.ts";
import { sessionPlaces } from "../mux/places.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "ls",
  summary: "List the sessions in terminals, alive and dead",
  description: "Shows every session started with amux run, newest first, with what it is doing. Needs no daemon.",
  options: [{ name: "alive", description: "only those that run" }],
  examples: [
    ["amux ls", "what runs here, and what ran"],
    ["amux ls --json | jq -r '.[] | select(.alive).id'", "the ids of what runs"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const known = knownSessions(sessionPlaces());
    const sessions = invocation.flag("alive") ? known.filter(({ alive }) => alive) : known;
    if (output.json) return output.writeJson(sessions.map(sessionJson));
    if (sessions.length === 0) return output.note("There are no sessions. Start one with amux run.");
    return output.write(rows(sessions, output));
  },
};

export default command;

function rows(sessions: readonly KnownSession[], output: Output): string[] {
  const columns = [
    { title: "SESSION", value: ({ meta }: KnownSession) => meta.id },
    {
      title: "STATE",
      value: stateOf,
      min: 8,
      style: (text: string, session: KnownSession) => coloured(text, session, output),
    },
    ...(sessions.some((session) => whatOf(session) !== "") ? [{ title: "WHAT", value: whatOf, min: 12 }] : []),
    { title: "AGE", value: ({ meta }: KnownSession) => age(new Date(meta.created_at)), align: "right" as const },
    { title: "TITLE", value: ({ meta }: KnownSession) => meta.title, min: 16 },
    { title: "DIRECTORY", value: ({ meta }: KnownSession) => homely(meta.cwd), min: 12, dispensable: 1 },
  ];
  return table(sessions, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`);
}

function stateOf({ meta, alive }: KnownSession): string {
  if (alive) return meta.reports[0]?.state ?? "running";
  if (meta.alive) return "lost";
  return meta.exit_code === 0 ? "ended" : `exited (${meta.exit_code})`;
}

/** What it asks or does, in its own words. */
function whatOf({ meta, alive }: KnownSession): string {
  return alive ? oneLine(meta.status?.label ?? "") : "";
}

function coloured(text: string, { meta, alive }: KnownSession, output: Output): string {
  if (!alive) return output.style("dim", text);
  const state = meta.reports[0]?.state ?? "";
  if (meta.status?.error === true) return output.style("red", text);
  if (isUrgent(state)) return output.style("yellow", text);
  return meta.unread ? output.style("cyan", text) : text;
}

/** Optional fields are absent, never null, except the exit code, whose absence would not tell "none yet" from "unknown". */
function sessionJson({ meta, alive }: KnownSession): object {
  const lost = meta.alive && !alive;
  const state = alive ? (meta.reports[0]?.state ?? "running") : lost ? "lost" : "ended";
  return {
    ref: meta.id,
    id: meta.id,
    kind: meta.kind,
    /** The conversation it writes, as amux sessions list --json calls it. */
    unified_id: conversationOf(meta),
    alive,
    lost,
    state,
    title: meta.title,
    command: meta.command,
    cwd: meta.cwd,
    created_at: meta.created_at,
    started_at: meta.started_at,
    exited_at: meta.exited_at,
    exit_code: meta.exit_code,
    status: meta.status,
    unread: meta.unread,
    slug: meta.slug,
    name: meta.name,
    pid: meta.pid,
  };
}

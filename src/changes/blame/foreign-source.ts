/** Edits from other machines and archives: sessions in a directory of the repository's name. */
import type { AgentName, SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { BlameSource } from "./blame.ts";
import type { BlameView } from "./edit-context.ts";
import { foreignPath } from "./edit-places.ts";
import type { EditQuery, RecordedEdit } from "./recorded-edits.ts";
import { editsIn } from "./session-edits.ts";

export interface ForeignSession {
  agent: AgentName;
  sessionId: string;
  title: string;
  cwd?: string;
  createdAt: Date;
  updatedAt: Date;
  parentId?: string;
  machine: string;
}

export interface ForeignView extends BlameView {
  messages(): Iterable<SessionMessage>;
  subagents(): SubagentTranscript[];
}

export interface ForeignStore {
  list(): Promise<{ sessions: readonly ForeignSession[]; notes?: readonly string[] }>;
  open(session: ForeignSession): Promise<ForeignView>;
}

/** Each is sent over a network as a whole. */
const MAX_READ = 200;

export function foreignSource(store: ForeignStore): BlameSource {
  const known = new Map<string, ForeignSession>();
  return {
    async edits(query) {
      const { sessions, notes = [] } = await store.list();
      const wanted = sessions.filter((session) => isCandidate(session, query)).sort(newestFirst);
      const edits: RecordedEdit[] = [];
      let skipped = 0;
      for (const session of wanted.slice(0, MAX_READ)) {
        known.set(keyOf(session), session);
        try {
          for (const edit of editsOf(await store.open(session), session, query)) edits.push(edit);
        } catch {
          // Gone, out of reach, or no transcript at all: the answer says how many.
          skipped++;
        }
      }
      return { edits, sessionsRead: wanted.length, skipped, isCut: wanted.length > MAX_READ, notes };
    },
    async open({ agent = "", sessionId = "", machine }) {
      const session = machine === undefined ? undefined : known.get(keyOf({ agent, sessionId, machine }));
      return session && store.open(session);
    },
  };
}

function keyOf({ agent, sessionId, machine }: Pick<ForeignSession, "agent" | "sessionId" | "machine">): string {
  return `${machine}\0${agent}\0${sessionId}`;
}

function newestFirst(a: ForeignSession, b: ForeignSession): number {
  return b.updatedAt.getTime() - a.updatedAt.getTime();
}

function isCandidate({ cwd, createdAt, updatedAt }: ForeignSession, { names = [], since, until }: EditQuery): boolean {
  if (since !== undefined && updatedAt.getTime() < since) return false;
  if (until !== undefined && createdAt.getTime() > until) return false;
  return cwd !== undefined && cwd.split(/[/\\]/).some((part) => names.includes(part));
}

function* editsOf(view: ForeignView, session: ForeignSession, query: EditQuery): Generator<RecordedEdit> {
  const { agent, sessionId, title, cwd, parentId, machine } = session;
  for (const edit of editsIn({ messages: () => view.messages(), subagents: () => view.subagents() })) {
    const path = foreignPath(query, edit.path, cwd);
    if (path === undefined || edit.at === undefined || (query.paths && !query.paths.has(path))) continue;
    const facts = { agent, sessionId, sessionTitle: title, machine, ...optional("parentSessionId", parentId) };
    yield { ...edit, ...facts, path, at: edit.at };
  }
}

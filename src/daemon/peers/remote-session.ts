/** Validates another machine's data, with limits on every size. */
import * as z from "zod/mini";
import { MAX_COLS, MAX_ROWS } from "../../protocol/frames.ts";
import { MuxSession } from "../../protocol/mux-session.ts";
import { isSessionId, isSlug } from "../../protocol/session-id.ts";

/** A row beyond these is dropped. */
const MAX_COMMAND_WORDS = 1024;
const MAX_REMOTES = 64;
const MAX_PATH = 4096;
const MAX_KEY = 512;

/** The remote daemon's health. Unknown fields are for later versions. */
export const PeerHealth = z.object({
  service: z.literal("amuxd"),
  version: z.string().check(z.maxLength(64)),
  pid: z.int(),
  started_at: z.string().check(z.maxLength(64)),
  hostname: z.string().check(z.maxLength(255)),
});
export type PeerHealth = z.infer<typeof PeerHealth>;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function isMoment(text: string): boolean {
  return MOMENT.test(text) && Number.isFinite(Date.parse(text));
}

function isSize(value: number | undefined, max: number): boolean {
  return value === undefined || (value >= 1 && value <= max);
}

/** A row within our limits. Ids with an `@` belong to a third machine, which must be asked itself. */
const RemoteSession = MuxSession.check(
  z.refine(
    (session) =>
      isSessionId(session.id) &&
      [session.created_at, session.started_at, session.exited_at].every(
        (moment) => moment === undefined || isMoment(moment),
      ) &&
      [session.kind, session.agent ?? session.kind].every((name) => /^[a-z][a-z0-9-]{0,31}$/.test(name)) &&
      (session.slug === undefined || isSlug(session.slug)) &&
      [session.cwd, session.workspace_root, session.socket_path].every((path = "") => path.length <= MAX_PATH) &&
      (session.resume_key ?? "").length <= MAX_KEY &&
      isSize(session.terminal_cols, MAX_COLS) &&
      isSize(session.terminal_rows, MAX_ROWS) &&
      session.command.length <= MAX_COMMAND_WORDS &&
      Object.keys(session.remotes ?? {}).length <= MAX_REMOTES,
    "is no session",
  ),
);

export const RowEvent = z.object({ id: z.string().check(z.maxLength(200)) });
export const ConversationEvent = z.object({ unified_id: z.string().check(z.maxLength(1024)) });

export const UpsertEvent = z.object({ id: z.string(), session: RemoteSession });

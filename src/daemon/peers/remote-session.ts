/** What another machine says, checked before anything is done with it. Nothing it says may be larger than it has to be. */
import * as z from "zod/mini";
import { MuxSession } from "../../protocol/mux-session.ts";
import { isSessionId, isSlug } from "../../protocol/session-id.ts";

/** Beyond these a row is not shown at all. */
const MAX_COMMAND_WORDS = 1024;
const MAX_REMOTES = 64;

/** The daemon over there. What it says beyond this is for later versions. */
export const PeerHealth = z.object({
  service: z.literal("amuxd"),
  version: z.string().check(z.maxLength(64)),
  pid: z.int(),
  started_at: z.string().check(z.maxLength(64)),
  hostname: z.string().check(z.maxLength(255)),
});
export type PeerHealth = z.infer<typeof PeerHealth>;

const Moment = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/));

/** A row with sizes and forms that hold here too. Ids with an `@` are of a third machine, which has to be asked itself. */
export const RemoteSession = MuxSession.check(
  z.refine(
    (session) =>
      isSessionId(session.id) &&
      Moment.safeParse(session.created_at).success &&
      /^[a-z][a-z0-9-]{0,31}$/.test(session.kind) &&
      (session.slug === undefined || isSlug(session.slug)) &&
      session.command.length <= MAX_COMMAND_WORDS &&
      Object.keys(session.remotes ?? {}).length <= MAX_REMOTES,
    "is no session",
  ),
);

export const RowEvent = z.object({ id: z.string().check(z.maxLength(200)) });

export const UpsertEvent = z.object({ id: z.string(), session: RemoteSession });

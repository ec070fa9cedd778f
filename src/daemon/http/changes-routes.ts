/** Routes for what a session changed in its repository. */
import * as z from "zod/mini";
import { recordLook } from "../../changes/diff/looks.ts";
import { lookKey, type ChangesOptions, type ChangesSubject } from "../../changes/diff/subject.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { ChangesAnswer, LookedAt } from "../../protocol/changes.ts";
import type { RunnerCalls } from "../actions/runner-calls.ts";
import type { FileService } from "../files/file-service.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { Flag, referenceOf, streamedEnvelope } from "./answers.ts";
import { route, type Route } from "./route.ts";

const Path = z.string().check(
  z.maxLength(4096),
  z.refine((text) => text !== "" && !text.includes("\0") && !text.startsWith("/"), "is not a path in the repository"),
);

/** Without `hunks` or `path`, a summary: files without lines. */
const ChangesQuery = z.object({
  staged: z.optional(Flag),
  committed: z.optional(Flag),
  since_look: z.optional(Flag),
  mine: z.optional(Flag),
  path: z.optional(Path),
  hunks: z.optional(Flag),
});

const MAX_LOOK_BYTES = 1024 * 1024;
const LOOKED = z.object({ looked: z.literal(true) });

export interface ChangesRouteParts {
  env: PathEnv;
  store: Pick<SessionStore, "liveRecords">;
  runners: Pick<RunnerCalls, "recordOf">;
  files: Pick<FileService, "read">;
}

export function changesRoutes({ env, store, runners, files }: ChangesRouteParts): Route[] {
  const bySession = (id: string): ChangesSubject => subjectOf(runners.recordOf(id));
  const byConversation = (unifiedId: string): ChangesSubject => {
    const session = referenceOf(unifiedId);
    const subjects = [...store.liveRecords()].map(subjectOf);
    const live = subjects.find((subject) => lookKey(subject) === unifiedId);
    return live ?? { session };
  };
  const look = (subject: ChangesSubject, seen: LookedAt): z.infer<typeof LOOKED> => {
    recordLook(env, lookKey(subject), seen.files);
    return { looked: true };
  };
  return [
    route({
      method: "GET",
      path: "/v1/sessions/{id}/changes",
      summary: "What a session changed in its repository: a summary, or with lines",
      query: ChangesQuery,
      answer: ChangesAnswer,
      run: ({ params, query, signal }) =>
        streamedEnvelope(
          files.read({ kind: "changes", subject: bySession(params["id"]!), options: optionsOf(query) }, signal),
        ),
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/changes/look",
      summary: "Marks hunks as looked at; `since_look` leaves them out",
      body: LookedAt,
      maxBodyBytes: MAX_LOOK_BYTES,
      answer: LOOKED,
      run: ({ params, body }) => look(bySession(params["id"]!), body),
    }),
    route({
      method: "GET",
      path: "/v1/history/{unifiedId}/changes",
      perMachine: true,
      summary: "What a past session changed in its repository: a summary, or with lines",
      query: ChangesQuery,
      answer: ChangesAnswer,
      run: ({ params, query, signal }) =>
        streamedEnvelope(
          files.read(
            { kind: "changes", subject: byConversation(params["unifiedId"]!), options: optionsOf(query) },
            signal,
          ),
        ),
    }),
    route({
      method: "POST",
      path: "/v1/history/{unifiedId}/changes/look",
      perMachine: true,
      summary: "Marks hunks of a past session as looked at",
      body: LookedAt,
      maxBodyBytes: MAX_LOOK_BYTES,
      answer: LOOKED,
      run: ({ params, body }) => look({ session: referenceOf(params["unifiedId"]!) }, body),
    }),
  ];
}

function optionsOf({ since_look, path, ...flags }: z.infer<typeof ChangesQuery>): ChangesOptions {
  return {
    ...optional("staged", flags.staged),
    ...optional("committed", flags.committed),
    ...optional("mine", flags.mine),
    ...optional("hunks", flags.hunks),
    ...optional("sinceLook", since_look),
    ...(path === undefined ? {} : { paths: [path] }),
  };
}

function subjectOf({ id, kind, agent = kind, resume_key, cwd, alive, ...record }: SessionRecord): ChangesSubject {
  return {
    ...(resume_key === undefined ? {} : { session: { agent, sessionId: resume_key } }),
    terminal: {
      id,
      cwd,
      isRunning: alive,
      startedAt: record.started_at ?? record.created_at,
      ...optional("endedAt", record.exited_at),
    },
  };
}

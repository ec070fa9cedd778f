/** Looking at sessions. */
import * as z from "zod/mini";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { optional } from "../../lib/optional.ts";
import { SessionDetails } from "../../protocol/daemon-api.ts";
import { MuxSession } from "../../protocol/mux-session.ts";
import type { RunnerCalls } from "../actions/runner-calls.ts";
import type { FileService } from "../files/file-service.ts";
import { Problem } from "../problem.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import { Count, envelope, streamedEnvelope } from "./answers.ts";
import { route, type Route } from "./route.ts";

const DEFAULT_TEXT_LINES = 200;
const DEFAULT_SCROLLBACK_LINES = 1000;
const ALL_MESSAGES = 1_000_000_000;

const TERMINAL_OUTPUT = "application/octet-stream";

export interface SessionRouteParts {
  store: SessionStore;
  runners: RunnerCalls;
  files: Pick<FileService, "read">;
}

export function sessionRoutes({ store, runners, files }: SessionRouteParts): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/sessions",
      summary: "All sessions, alive and dead, newest first",
      answer: z.array(MuxSession),
      run: () =>
        envelope(
          `[${store
            .list()
            .map(({ id }) => store.json(id))
            .join(",")}]`,
        ),
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}",
      summary: "One session",
      answer: MuxSession,
      run: ({ params }) => store.get(params["id"]!) ?? missing(params["id"]!),
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/details",
      summary: "What is known beyond the row: conversation, evidence for the status, process",
      answer: SessionDetails,
      run: async ({ params }) => {
        const record = runners.recordOf(params["id"]!);
        return { ...detailsOf(record), ...(record.alive ? { runner: await runnerAccount(runners, record.id) } : {}) };
      },
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/text",
      summary: "The last lines of the terminal as plain text",
      query: z.object({ lines: z.optional(Count) }),
      answer: { contentType: "text/plain" },
      run: async ({ params, query }) => {
        const path = `/text?lines=${query.lines ?? DEFAULT_TEXT_LINES}`;
        const { body } = await runners.call(params["id"]!, { method: "GET", path });
        return new Response(new Uint8Array(body), { headers: { "content-type": "text/plain; charset=utf-8" } });
      },
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/scrollback",
      summary: "Terminal output that repaints the session; of a dead one its last screen",
      query: z.object({ lines: z.optional(Count) }),
      answer: { contentType: TERMINAL_OUTPUT },
      run: async ({ params, query }) => {
        const output = await runners.scrollback(params["id"]!, query.lines ?? DEFAULT_SCROLLBACK_LINES);
        return new Response(new Uint8Array(output), { headers: { "content-type": TERMINAL_OUTPUT } });
      },
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/transcript",
      summary: "The conversation, as the agent has written it down",
      query: z.object({ from: z.optional(Count), limit: z.optional(Count) }),
      answer: z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }),
      run: ({ params, query }) => {
        const { kind, resume_key } = runners.recordOf(params["id"]!);
        if (resume_key === undefined) throw new Problem("no_conversation", "No conversation of this session is known.");
        const session = { agent: kind, sessionId: resume_key };
        const { from = 0, limit = ALL_MESSAGES } = query;
        return streamedEnvelope(files.read({ kind: "transcript", session, from, limit }));
      },
    }),
  ];
}

function missing(id: string): never {
  throw new Problem("not_found", `There is no session ${id}.`);
}

function detailsOf(record: Readonly<SessionRecord>): SessionDetails {
  const { id, kind, resume_key, conversation, unread_token, incarnation, runner_pid } = record;
  return {
    id,
    ...(resume_key === undefined ? {} : { unified_id: joinUnifiedId(kind, resume_key) }),
    ...optional("conversation", conversation),
    ...optional("unread_token", unread_token),
    ...optional("incarnation", incarnation),
    ...optional("runner_pid", runner_pid),
  };
}

async function runnerAccount(runners: RunnerCalls, id: string): Promise<Record<string, unknown>> {
  const { body } = await runners.call(id, { method: "GET", path: "/meta" });
  const { reports, ptys, runner_version, last_activity_at } = JSON.parse(body.toString("utf8")) as Record<
    string,
    unknown
  >;
  return { reports, ptys, runner_version, last_activity_at };
}

/** Routes that read sessions. */
import * as z from "zod/mini";
import { CAST_TYPE } from "../../protocol/recording.ts";
import { SessionDetails } from "../../protocol/daemon-api.ts";
import { SEQ_HEADER } from "../../protocol/runner-headers.ts";
import { MuxSession } from "../../protocol/mux-session.ts";
import type { Details } from "../actions/details.ts";
import type { RunnerCalls } from "../actions/runner-calls.ts";
import type { FileService } from "../files/file-service.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";
import { Count, Flag, streamedEnvelope } from "./answers.ts";
import { route, type Route } from "./route.ts";
import { EncodedList } from "./encoded-list.ts";

const DEFAULT_TEXT_LINES = 200;
const DEFAULT_SCROLLBACK_LINES = 1000;
const ALL_MESSAGES = 1_000_000_000;

const TERMINAL_OUTPUT = "application/octet-stream";

export interface SessionRouteParts {
  store: SessionStore;
  runners: RunnerCalls;
  details: Pick<Details, "of">;
  files: Pick<FileService, "read">;
}

export function sessionRoutes({ store, runners, details, files }: SessionRouteParts): Route[] {
  const list = new EncodedList(store);
  return [
    route({
      method: "GET",
      path: "/v1/sessions",
      summary: "All sessions, running and ended, newest first",
      answer: z.array(MuxSession),
      run: () => list.current(),
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
      summary: "Details: conversation, evidence for the status, process",
      answer: SessionDetails,
      run: ({ params }) => details.of(params["id"]!),
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/account",
      summary: "The report of the session's process, and the sources of its status",
      answer: z.object({
        meta: z.looseObject({ id: z.string() }),
        evidence: z.optional(z.looseObject({})),
        /** This machine's clock, like all times in it. */
        now: z.string(),
      }),
      run: ({ params }) => runners.account(params["id"]!),
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/text",
      summary: "The last lines of the terminal as plain text",
      query: z.object({ lines: z.optional(Count) }),
      answer: { contentType: "text/plain" },
      run: async ({ params, query }) => {
        const { text, seq } = await runners.text(params["id"]!, query.lines ?? DEFAULT_TEXT_LINES);
        return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8", [SEQ_HEADER]: seq } });
      },
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/scrollback",
      summary: "Terminal output that redraws the session; for an ended one, its last screen",
      query: z.object({ lines: z.optional(Count) }),
      answer: { contentType: TERMINAL_OUTPUT },
      run: async ({ params, query }) => {
        const { output, size } = await runners.scrollback(params["id"]!, query.lines ?? DEFAULT_SCROLLBACK_LINES);
        return new Response(new Uint8Array(output), { headers: { "content-type": TERMINAL_OUTPUT, ...size } });
      },
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/cast",
      summary: "The recording of a session started with amux run --record, as an asciicast (version 2)",
      answer: { contentType: CAST_TYPE },
      run: ({ params }) =>
        new Response(new Uint8Array(runners.recording(params["id"]!)), { headers: { "content-type": CAST_TYPE } }),
    }),
    route({
      method: "GET",
      path: "/v1/sessions/{id}/transcript",
      summary: "The conversation, from the agent's files",
      query: z.object({ from: z.optional(Count), limit: z.optional(Count), subagents: z.optional(Flag) }),
      answer: z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }),
      run: ({ params, query, signal }) => {
        const { kind, agent = kind, resume_key } = runners.recordOf(params["id"]!);
        if (resume_key === undefined) throw new Problem("no_conversation", "No conversation found for this session.");
        const session = { agent, sessionId: resume_key };
        const { from = 0, limit = ALL_MESSAGES, subagents = true } = query;
        return streamedEnvelope(files.read({ kind: "transcript", session, from, limit, subagents }, signal));
      },
    }),
  ];
}

function missing(id: string): never {
  throw new Problem("not_found", `There is no session ${id}.`);
}

/** Routes that act on sessions. */
import * as z from "zod/mini";
import {
  AnswerRequest,
  DeregisterRequest,
  MAX_LAUNCH_BYTES,
  MessageRequest,
  Pasted,
  Receipt,
  RegisterRequest,
  Started,
  TerminalRequest,
  Waited,
} from "../../protocol/daemon-api.ts";
import { INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER } from "../../protocol/runner-headers.ts";
import { isSessionId, isSlug } from "../../protocol/session-id.ts";
import { Status } from "../../protocol/status.ts";
import type { Answers } from "../actions/answers.ts";
import type { SessionEnder } from "../actions/end-sessions.ts";
import { PASTED_TYPES, type Pastes } from "../actions/pastes.ts";
import type { SessionReviver } from "../actions/session-reviver.ts";
import type { RunnerCalls } from "../actions/runner-calls.ts";
import type { Terminals } from "../actions/terminals.ts";
import { waitFor } from "../actions/wait.ts";
import type { Register } from "../live/register.ts";
import type { Runners } from "../live/runners.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";
import { Count } from "./answers.ts";
import { route, type Route } from "./route.ts";

const MAX_INPUT_BYTES = 1024 * 1024;
/** The longest message with every character escaped. */
const MAX_MESSAGE_BYTES = 6 * 1024 * 1024;
/** A screenshot of a large screen. */
const MAX_PASTE_BYTES = 20 * 1024 * 1024;
const DEFAULT_WAIT_SECONDS = 600;
const MAX_WAIT_SECONDS = 86_400;

export interface ActionRouteParts {
  store: SessionStore;
  register: Register;
  sockets: Pick<Runners, "socketPath">;
  resumes: SessionReviver;
  ends: SessionEnder;
  runners: RunnerCalls;
  pastes: Pick<Pastes, "keep">;
  terminals: Pick<Terminals, "open" | "end">;
  answers: Answers;
}

const Nothing = z.null();

export function actionRoutes(parts: ActionRouteParts): Route[] {
  return [...lifeRoutes(parts), ...terminalRoutes(parts), ...namingRoutes(parts)];
}

function lifeRoutes({ register, sockets, resumes, ends }: ActionRouteParts): Route[] {
  const simple = (verb: string, summary: string, answer: z.ZodMiniType, act: (id: string) => Promise<unknown>): Route =>
    route({
      method: "POST",
      path: `/v1/sessions/{id}/${verb}`,
      summary,
      answer,
      run: ({ params }) => act(params["id"]!),
    });
  return [
    route({
      method: "POST",
      path: "/v1/register",
      summary: "Registers a runner",
      body: RegisterRequest,
      answer: Nothing,
      run: async ({ body: { session_id, socket_path } }) => {
        if (!isSessionId(session_id)) throw new Problem("bad_request", "session_id is not valid.");
        // Sockets elsewhere are unknown.
        if (socket_path !== undefined && socket_path !== sockets.socketPath(session_id)) {
          throw new Problem("bad_request", "socket_path is not this session's socket.");
        }
        if (!(await register.register(session_id))) {
          throw new Problem("runner_unreachable", "No runner of this session answers.");
        }
      },
    }),
    route({
      method: "POST",
      path: "/v1/deregister",
      summary: "Stops following a session until it is found again",
      body: DeregisterRequest,
      answer: Nothing,
      run: ({ body }) => register.deregister(body.session_id),
    }),
    simple("resume", "Resumes an ended session under its own id", Started, (id) => resumes.resume(id)),
    simple("restart", "Restarts a session", Started, (id) => resumes.restart(id)),
    simple("kill", "Ends a session's process; responds when it is gone", Nothing, (id) => ends.kill(id)),
    simple("dismiss", "Ends a session and removes its row", Nothing, (id) => ends.dismiss(id)),
    simple("restore", "Shows a session again that was dismissed within the last minute", Nothing, (id) =>
      ends.restore(id),
    ),
  ];
}

function terminalRoutes({ store, runners, answers, pastes, terminals }: ActionRouteParts): Route[] {
  return [
    route({
      method: "POST",
      path: "/v1/sessions/{id}/read",
      summary: "Marks a session as read; with a token only that result",
      query: z.object({ token: z.optional(Count) }),
      answer: Nothing,
      run: ({ params, query }) => runners.read(params["id"]!, query.token),
    }),
    route<undefined, Uint8Array>({
      method: "POST",
      path: "/v1/sessions/{id}/input",
      summary: "Types the body into the terminal",
      body: "bytes",
      maxBodyBytes: MAX_INPUT_BYTES,
      answer: Nothing,
      run: ({ params, body, request }) => {
        // It would be typed with its brackets and quotes.
        if (request.headers.get("content-type")?.startsWith("application/json") === true)
          throw new Problem("bad_request", "The body is typed as it is: send the text itself, not JSON.");
        return runners.input(params["id"]!, body, deliveryHeaders(request));
      },
    }),
    route<undefined, Uint8Array>({
      method: "POST",
      path: "/v1/sessions/{id}/clipboard",
      summary: "Saves pasted data as a file for the session's program",
      body: "bytes",
      bodyTypes: PASTED_TYPES,
      maxBodyBytes: MAX_PASTE_BYTES,
      answer: Pasted,
      run: ({ params, body, request }) => ({
        path: pastes.keep(params["id"]!, body, request.headers.get("content-type") ?? ""),
      }),
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/terminals",
      summary: "Opens another terminal in a session",
      body: TerminalRequest,
      maxBodyBytes: MAX_LAUNCH_BYTES,
      answer: z.object({ id: z.string() }),
      run: async ({ params, body }) => ({ id: await terminals.open(params["id"]!, body) }),
    }),
    route({
      method: "DELETE",
      path: "/v1/sessions/{id}/terminals",
      summary: "Ends the program of one terminal; responds when it is gone",
      query: z.object({ pty: z.string().check(z.maxLength(64)) }),
      answer: Nothing,
      run: ({ params, query }) => terminals.end(params["id"]!, query.pty),
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/answer",
      summary: "Answers a waiting session: through its hook, otherwise by choosing an option on its screen",
      body: AnswerRequest,
      maxBodyBytes: MAX_INPUT_BYTES,
      answer: Receipt,
      run: ({ params, body }) => answers.answer(params["id"]!, body),
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/message",
      summary: "Sends the program a message, then Enter; refused while it asks a question",
      body: MessageRequest,
      maxBodyBytes: MAX_MESSAGE_BYTES,
      answer: Receipt,
      run: ({ params, body: { text, force }, request }) => {
        const { [INPUT_ID_HEADER]: id } = deliveryHeaders(request);
        return answers.message(params["id"]!, text, {
          ...(force === true ? { force } : {}),
          ...(id === undefined ? {} : { id }),
        });
      },
    }),
    route({
      method: "POST",
      path: "/v1/sessions/{id}/wait",
      summary: "Responds when the session is idle or has ended",
      query: z.object({ for: z.optional(z.enum(["idle", "exit"])), timeout: z.optional(Count) }),
      answer: Waited,
      run: ({ params, query, signal }) => {
        const seconds = Math.min(query.timeout ?? DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS);
        return waitFor(store, (id) => runners.wholeMeta(id), params["id"]!, {
          for: query.for ?? "idle",
          timeoutMs: seconds * 1000,
          signal,
        });
      },
    }),
  ];
}

function namingRoutes({ runners }: ActionRouteParts): Route[] {
  const put = async (id: string, path: string, body: string): Promise<void> => {
    await runners.call(id, { method: "PUT", path, body });
  };
  return [
    route({
      method: "PUT",
      path: "/v1/sessions/{id}/status",
      summary: "Sets or clears the status",
      body: z.nullable(Status),
      answer: Nothing,
      run: ({ params, body }) => put(params["id"]!, "/status", JSON.stringify(body)),
    }),
    route({
      method: "PUT",
      path: "/v1/sessions/{id}/slug",
      summary: "Sets the name in URLs",
      body: z.object({ slug: z.string().check(z.refine(isSlug, "is lower-case letters, digits and hyphens")) }),
      answer: Nothing,
      run: ({ params, body }) => put(params["id"]!, "/slug", body.slug),
    }),
    route({
      method: "PUT",
      path: "/v1/sessions/{id}/title",
      summary: "Sets the user's title; an empty one clears it",
      body: z.object({ title: z.string().check(z.maxLength(200)) }),
      answer: Nothing,
      run: ({ params, body }) => runners.rename(params["id"]!, body.title),
    }),
  ];
}

/** The client's incarnation and input id, if given. */
function deliveryHeaders(request: Request): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of [INCARNATION_HEADER, INPUT_ID_HEADER, KEYS_HEADER]) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Routes for comments on what sessions changed. */
import * as z from "zod/mini";
import { sendReview, type Outbox } from "../../changes/review/send-review.ts";
import type { Taken } from "../../changes/review/reviews.ts";
import { conversationOf } from "../../client/conversation.ts";
import type { SessionReference } from "../../core/diff.ts";
import { optional } from "../../lib/values/optional.ts";
import { Review, ReviewChange, ReviewSend, ReviewSent } from "../../protocol/review.ts";
import type { Answers } from "../actions/answers.ts";
import type { Launcher } from "../actions/launcher.ts";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import { Problem } from "../problem.ts";
import { SHELL_KIND } from "../store/derived-fields.ts";
import type { SessionStore } from "../store/store.ts";
import { referenceOf, streamedEnvelope } from "./answers.ts";
import { route, type Call, type Route } from "./route.ts";

export interface ReviewRouteParts {
  store: SessionStore;
  files: Pick<FileService, "read">;
  answers: Pick<Answers, "message">;
  launcher: Pick<Launcher, "launch">;
}

/** The longest quote with every character escaped. */
const MAX_CHANGE_BYTES = 4 * 1024 * 1024;

/** A session by any of its names: what the history process needs to know of it, and which terminal it has. */
interface Reviewed {
  ids: string[];
  described?: { title: string; cwd: string };
  session?: SessionReference;
  /** A running terminal of it. */
  terminal?: string;
}

export function reviewRoutes(parts: ReviewRouteParts): Route[] {
  const { files } = parts;
  const of = (
    path: string,
    isPerMachine: boolean,
    reviewed: (params: Call<unknown, unknown>["params"]) => Reviewed,
  ): Route[] => {
    const machine = isPerMachine ? { perMachine: true } : {};
    const requestOf = ({ ids, session, described }: Reviewed): Extract<HistoryRequest, { kind: "review" }> => ({
      kind: "review",
      ids,
      ...optional("session", session),
      ...optional("described", described),
    });
    return [
      route({
        method: "GET",
        path: `${path}/review`,
        ...machine,
        summary: "Comments on what a session changed, and where their code is now",
        answer: Review,
        run: ({ params, signal }) => streamedEnvelope(files.read(requestOf(reviewed(params)), signal)),
      }),
      route({
        method: "POST",
        path: `${path}/review`,
        ...machine,
        summary: "Adds a comment, or changes, resolves or removes comments",
        body: ReviewChange,
        maxBodyBytes: MAX_CHANGE_BYTES,
        answer: Review,
        run: ({ params, body }) => streamedEnvelope(files.read({ ...requestOf(reviewed(params)), change: body })),
      }),
      route({
        method: "POST",
        path: `${path}/review/send`,
        ...machine,
        summary: "Sends the comments as one message, to this session, another or a new one",
        body: ReviewSend,
        answer: ReviewSent,
        run: ({ params, body }) => send(parts, reviewed(params), body),
      }),
    ];
  };
  return [
    route({
      method: "GET",
      path: "/v1/reviews",
      perMachine: true,
      summary: "All reviews with comments, the latest first",
      answer: z.array(Review),
      run: ({ signal }) => streamedEnvelope(files.read({ kind: "reviews" }, signal)),
    }),
    ...of("/v1/sessions/{id}", false, (params) => reviewedTerminal(parts, params["id"]!)),
    ...of("/v1/history/{unifiedId}", true, (params) => reviewedConversation(parts, params["unifiedId"]!)),
  ];
}

function reviewedTerminal({ store }: ReviewRouteParts, id: string): Reviewed {
  const session = store.get(id);
  if (session === undefined) throw new Problem("not_found", `There is no session ${id}.`);
  const conversation = conversationOf(session);
  return {
    ids: [...(conversation === undefined ? [] : [conversation]), id],
    described: { title: session.title, cwd: session.cwd },
    ...optional("terminal", session.alive ? id : undefined),
  };
}

function reviewedConversation({ store }: ReviewRouteParts, unifiedId: string): Reviewed {
  const writers = store.list().filter((each) => each.peer === undefined && conversationOf(each) === unifiedId);
  return {
    ids: [unifiedId, ...writers.map(({ id }) => id)],
    session: referenceOf(unifiedId),
    ...optional("terminal", writers.find(({ alive }) => alive)?.id),
  };
}

const UNSENT: readonly string[] = ["bad_request", "cwd_gone", "not_running", "not_found"];

/** Everything that can be known before is refused before the comments are taken. */
async function send(parts: ReviewRouteParts, { ids, terminal }: Reviewed, wish: ReviewSend): Promise<ReviewSent> {
  const { files, answers, launcher } = parts;
  const to = wish.new === undefined ? receiver(parts, wish.to ?? terminal) : undefined;
  if (wish.new !== undefined && wish.to !== undefined)
    throw new Problem("bad_request", "Send the comments to a session or to a new one, not to both.");
  const outbox: Outbox = {
    take: (sender) =>
      ask<Taken>(files, { kind: "take-comments", ids, wish: { ...wish, ...optional("to", to) }, sender }),
    settle: async (delivery, outcome) => {
      await ask(files, { kind: "settle-comments", ids, delivery, ...optional("outcome", outcome) });
    },
    // The launcher refuses before it starts anything; a session may end or be removed just before it is asked.
    isUnsent: (error) => error instanceof Problem && UNSENT.includes(error.code),
  };
  return sendReview(outbox, async ({ message, delivery, root }) => {
    if (to === undefined) {
      const { session_id } = await launcher.launch({ agent: wish.new!, prompt: message, cwd: root });
      return { session: session_id, receipt: "started" };
    }
    const force = wish.force === true ? { force: true } : {};
    const { receipt } = await answers.message(to, message, { ...force, id: delivery });
    return { session: to, receipt };
  });
}

/** A shell would run the quoted code. */
function receiver({ store }: ReviewRouteParts, id: string | undefined): string {
  const session = id === undefined ? undefined : store.get(id);
  if (id !== undefined && session === undefined) throw new Problem("not_found", `There is no session ${id}.`);
  if (session?.alive !== true)
    throw new Problem(
      "not_running",
      "The session is not running. Resume it, or send the comments to another or a new one.",
    );
  if (session.peer !== undefined) throw new Problem("bad_request", "Choose a session of the same machine.");
  if (session.kind === SHELL_KIND && session.agent === undefined)
    throw new Problem("bad_request", "No agent runs in that session: a shell would run the quoted code.");
  return session.id;
}

async function ask<Data = null>(files: Pick<FileService, "read">, request: HistoryRequest): Promise<Data> {
  let text = "";
  for await (const piece of files.read(request)) text += piece;
  return JSON.parse(text) as Data;
}

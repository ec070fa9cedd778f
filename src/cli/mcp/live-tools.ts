/** MCP tools for amux's terminal sessions: read them and, if allowed, act on them. */
import { randomUUID } from "node:crypto";
import { conversationOf } from "../../client/conversation.ts";
import { askRunner } from "../../client/runner-http.ts";
import { sendMessage } from "../../client/send-to-session.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { asNumber, asString, asText, type Json } from "../../lib/json/fields.ts";
import { truncate } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { chooseRunning, chooseSession } from "../mux/choose.ts";
import { GOALS, goalOf, waitUntil, watched, type GoalName } from "../mux/wait-conditions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { isCalling } from "./calling-session.ts";
import { CHARACTERS_PER_TOKEN, fitting, lengthWithin } from "./token-budget.ts";
import { MAX_TOKENS, number, schema, text, wrong, type Tool, type ToolContext } from "./tool.ts";

const DEFAULT_LINES = 50;
const DEFAULT_TOKENS = 1500;
const MAX_QUESTION = 300;
/** Agents abort a tool after about a minute; a wait can be repeated. */
const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 600;

const SESSION = { session: text("its id, slug or name, as returned by live_sessions") };

export const LIVE_TOOLS: readonly Tool[] = [
  {
    name: "live_sessions",
    description: "Lists running terminal sessions on this machine: agents and commands, and what each is doing.",
    inputSchema: schema({ ...MAX_TOKENS }),
    async call(args, context) {
      const others = knownSessions(sessionDirectories()).filter(
        (session) => session.alive && !isCalling(session, context),
      );
      const { shown, ...rest } = fitting(others.map(brief), asNumber(args["max_tokens"]) ?? DEFAULT_TOKENS);
      return { sessions: shown, ...rest };
    },
  },
  {
    name: "read_terminal",
    description: "Reads the last lines of a session's terminal, as much as fits into max_tokens.",
    inputSchema: schema({ ...SESSION, lines: number("how many lines"), ...MAX_TOKENS }, ["session"]),
    async call(args, context) {
      const session = allowed(chooseRunning(asString(args["session"]) ?? ""), context);
      const lines = asNumber(args["lines"]) ?? DEFAULT_LINES;
      const answer = await askRunner(filesOf(session).socket, { method: "GET", path: `/text?lines=${lines}` });
      const budget = (asNumber(args["max_tokens"]) ?? DEFAULT_TOKENS) * CHARACTERS_PER_TOKEN;
      // The end is newest; what does not fit is cut from the beginning.
      const text = answer.body.toString("utf8");
      return { ...brief(session), text: text.slice(text.length - lengthWithin(text, budget, true)) };
    },
  },
  {
    name: "send",
    description:
      "Sends a message to a session, as its user would. Refused while the session asks its user a question. The receipt is delivered, queued (the agent takes it after its turn) or not_taken.",
    inputSchema: schema({ ...SESSION, text: text("the message") }, ["session", "text"]),
    writes: true,
    async call(args, context) {
      const session = allowed(chooseRunning(asString(args["session"]) ?? ""), context);
      const { incarnation } = session.meta;
      const words = { incarnation, id: randomUUID() };
      const { receipt, state } = await sendMessage(filesOf(session).socket, asString(args["text"]) ?? "", words);
      return { receipt, ...optional("state", state) };
    },
  },
  {
    name: "wait",
    description: "Waits until a session is idle, has ended, or shows a text or a regular expression.",
    inputSchema: schema(
      {
        ...SESSION,
        for: { type: "string", enum: [...GOALS] },
        what: text("the text or the regular expression"),
        timeout_seconds: number(`give up after this time (default ${DEFAULT_WAIT_SECONDS})`),
      },
      ["session"],
    ),
    writes: true,
    async call(args, context) {
      const session = allowed(chooseSession(asString(args["session"]) ?? ""), context);
      const what = asText(args["what"]);
      const named = asText(args["for"]) ?? (what === undefined ? "idle" : "text");
      if ((named === "text" || named === "regex") !== (what !== undefined)) {
        throw wrong("what is required for text and regex, and not allowed otherwise.");
      }
      const seconds = Math.min(asNumber(args["timeout_seconds"]) ?? DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS);
      const goal = goalOf(named as GoalName, what);
      const outcome = await waitUntil(goal, watched(filesOf(session)), Date.now() + seconds * 1000);
      if (named === "exit" && outcome !== undefined) return { reached: true, exit_code: outcome };
      return outcome === 0
        ? { reached: true }
        : { reached: false, reason: outcome === undefined ? "timeout" : "ended" };
    },
  },
];

function brief({ meta }: KnownSession): Json {
  const { id, kind, title, cwd, status, slug, state } = meta;
  return {
    session: id,
    ...optional("slug", slug),
    kind,
    title,
    cwd,
    ...optional("conversation", conversationOf(meta)),
    ...(status === null ? {} : { status }),
    ...(state === undefined ? {} : { state: state.state }),
    ...(state?.asked === undefined ? {} : asks(state)),
  };
}

/** What its user is asked, and the id that an answer names. */
function asks({ asked, message, options }: NonNullable<KnownSession["meta"]["state"]>): Json {
  return { asked, question: truncate(message ?? "", MAX_QUESTION), options: options?.map(({ label }) => label) };
}

function filesOf({ meta }: KnownSession): ReturnType<typeof sessionFiles> {
  return sessionFiles(sessionDirectories(), meta.id);
}

function allowed(session: KnownSession, context: ToolContext): KnownSession {
  if (!isCalling(session, context)) return session;
  throw wrong("This is the calling session.");
}

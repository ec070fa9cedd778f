/** MCP tools that start sessions and answer their questions, with the checks that `amux run` and `amux answer` make. */
import { Writable } from "node:stream";
import { knownSessions } from "../../client/session-list.ts";
import { asObject, asString, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionView } from "../../status/session-view.ts";
import { answerSession } from "../answer-session.ts";
import { parseInvocation } from "../command.ts";
import { answerRemote, isRemoteRef } from "../mux/remote.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { liveSessionNamed } from "../mux/session-named.ts";
import { Output } from "../output.ts";
import { isCalling } from "./calling-session.ts";
import { schema, text, wrong, type Tool, type ToolContext } from "./tool.ts";

/** Given as options of `amux run`; what approves everything is not among them. */
const LAUNCH_OPTIONS = ["agent", "prompt", "model", "cwd", "name", "worktree"];

export const ACTING_TOOLS: readonly Tool[] = [
  {
    name: "launch",
    description:
      "Starts an agent on a prompt in a background session, as amux run -d does, and returns the session. What needs approval is refused unless the user's settings allow it. Use wait and read_terminal to follow it.",
    inputSchema: schema(
      {
        agent: text("the agent: claude, codex and others"),
        prompt: text("what to do"),
        model: text("use this model"),
        cwd: text("work in this directory (default: the server's own)"),
        name: text("name of the session"),
        worktree: text("work in a new git worktree, on this branch (empty: a free name)"),
      },
      ["agent", "prompt"],
    ),
    writes: true,
    async call(args) {
      // A dash alone would read the server's own input.
      if (["", "-"].includes((asString(args["prompt"]) ?? "").trim())) throw wrong("prompt must say what to do.");
      const options = LAUNCH_OPTIONS.flatMap((name) => {
        // An empty branch is a free name, not no worktree.
        const value = name === "worktree" ? asString(args[name]) : asText(args[name]);
        return value === undefined ? [] : [`--${name}=${value}`];
      });
      const { default: run } = await import("../commands/run.ts");
      const heard = listening();
      await run.run(parseInvocation(run, ["--detach", "--json", ...options], heard.output));
      const { id, worktree, branch } = asObject(JSON.parse(heard.said())) ?? {};
      return { session: id, ...optional("worktree", worktree), ...optional("branch", branch) };
    },
  },
  {
    name: "answer",
    description:
      "Answers the question that a session asks its user: an option's number or label, allow, deny, or a text. Refused if the answer matches no option. Only with the user's consent.",
    inputSchema: schema(
      {
        session: text("its id, slug or name, as returned by live_sessions"),
        answer: text("an option, allow, deny, or a text"),
        asked: text("only this question, with its id; refused if it now asks another"),
      },
      ["session", "answer"],
    ),
    writes: true,
    async call(args, context) {
      const [ref, answer, asked] = [asString(args["session"]) ?? "", asText(args["answer"]), asText(args["asked"])];
      if (answer === undefined) throw wrong("answer must be an option, allow, deny, or a text.");
      if (isRemoteRef(ref)) return answerRemote(ref, answer, asked);
      const session = await liveSessionNamed(ref);
      refuseCaller(session, context);
      return { session: session.ref, ...(await answerSession(session, answer, asked)) };
    },
  },
];

/** An agent must not allow its own actions. */
function refuseCaller({ ref, place, tmux }: SessionView, context: ToolContext): void {
  const own = knownSessions(sessionDirectories()).find(({ meta }) => meta.id === ref);
  const { TMUX = "", TMUX_PANE } = process.env;
  const isSamePane = place === "tmux" && TMUX.startsWith(`${tmux?.socket},`) && (tmux?.pane ?? TMUX_PANE) === TMUX_PANE;
  if (isSamePane || context.isAsking(ref) || (own !== undefined && isCalling(own, context)))
    throw wrong("This is the calling session.");
}

/** Standard output carries the protocol, so a command's answer is collected. */
function listening(): { output: Output; said(): string } {
  let said = "";
  const stream = new Writable({
    write(piece, _encoding, done) {
      said += String(piece);
      done();
    },
  });
  return { output: new Output(true, stream as NodeJS.WriteStream), said: () => said };
}

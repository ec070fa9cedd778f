/** `amux run --on <peer> …`: a session on another machine, attached from here. */
import { AgentMuxError } from "../../core/errors.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { LaunchRequest, Started } from "../../protocol/daemon-api.ts";
import { PeerName } from "../../protocol/peers.ts";
import { usageError, type Invocation } from "../command.ts";
import { askDaemon } from "../mux/remote.ts";
import { followRemote } from "../mux/follow-remote.ts";
import { isStream } from "../mux/follow-session.ts";
import { peerNames } from "../peers/peer-names.ts";
import { asGiven } from "./given-options.ts";
import { SESSION_OPTIONS, refuseOthers } from "./command-session.ts";
import { promptOf, splitArguments } from "./prompt.ts";
import { environmentOf, RUN_OPTIONS } from "./run-options.ts";
import { madeFor, noteWorktree, worktreeAsked } from "./worktree-for.ts";

/** As for a local background session. */
const MAX_PROMPT_BYTES = 100_000;
const MAX_TITLE = 80;

/** Files, sessions and the terminal of this machine mean nothing there. */
const OF_THIS_MACHINE = ["attach", "session", "fork", "at", "profile", "ask", "run-id"];

/** Part of the request itself. */
const SAID = new Set(["on", "agent", "prompt", "file", "cwd", "env", "detach", "name", "worktree", ...OF_THIS_MACHINE]);

export async function runOnPeer(invocation: Invocation, peer: string): Promise<number> {
  if (!PeerName.safeParse(peer).success || !peerNames().includes(peer)) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `There is no peer "${oneLine(peer)}". See amux peers list.`);
  }
  if (invocation.flag("record"))
    throw usageError(`A recording is made on the session's own machine: run amux run --record on ${peer}.`);
  const { output } = invocation;
  const stays = !invocation.flag("detach") && process.env["AMUX_SESSION_ID"] === undefined && !output.json;
  const request = {
    ...(await whatToRun(invocation)),
    ...placeOf(invocation),
    ...sizeOf(invocation),
    ...(stays && isStream() ? { followed: true } : {}),
    peer,
  };
  output.progress(`starting on ${peer}`);
  const { session_id: id, worktree } = await askDaemon<Started>("POST", "/v1/launch", request);
  output.clearProgress();
  if (worktree !== undefined) noteWorktree(worktree, output);
  if (stays) return followRemote(id, output, { whole: true });
  await (output.json ? output.writeJson({ id, peer, ...madeFor(worktree) }) : output.write(`${id}\n`));
  return 0;
}

async function whatToRun(invocation: Invocation): Promise<LaunchRequest> {
  const { rest } = invocation;
  if (rest !== undefined) {
    if (rest.length === 0) throw usageError("Missing command after --.");
    if (invocation.arguments.length > 0 || invocation.text("agent") !== undefined)
      throw usageError("Name an agent, or a command after --, not both.");
    refuseOthers(invocation, [...SESSION_OPTIONS, "on"], "A command after -- has its own options");
    return { command: [...rest] };
  }
  const { agent, argument } = splitArguments(invocation.arguments, invocation.text("agent"));
  const prompt = await promptOf(invocation, argument);
  if (prompt !== undefined) return runThere(invocation, agent, prompt);
  if (agent === undefined) throw usageError("amux run --on needs an agent, a prompt, or a command after --.");
  refuseOthers(invocation, [...SESSION_OPTIONS, "on"], `Without a prompt ${agent} runs in a terminal`);
  return { agent };
}

/** The same command there, as the program of a session. */
function runThere(invocation: Invocation, agent: string | undefined, prompt: string): LaunchRequest {
  const given = RUN_OPTIONS.filter(({ name }) => OF_THIS_MACHINE.includes(name)).flatMap((option) =>
    asGiven(invocation, option),
  );
  if (given[0] !== undefined) throw usageError(`${given[0].split("=")[0]!} is about this machine; leave out --on.`);
  if (Buffer.byteLength(prompt) > MAX_PROMPT_BYTES) {
    throw usageError(
      "The prompt is too long to send. Put it into a file on that machine and refer to it in a short prompt.",
    );
  }
  const options = RUN_OPTIONS.filter(({ name }) => !SAID.has(name)).flatMap((option) => asGiven(invocation, option));
  return {
    command: ["amux", "run", ...(agent === undefined ? [] : [`--agent=${agent}`]), ...options, `--prompt=${prompt}`],
    name: truncate(oneLine(invocation.text("name") ?? prompt), MAX_TITLE),
  };
}

function placeOf(invocation: Invocation): Pick<LaunchRequest, "cwd" | "env" | "name" | "worktree"> {
  const cwd = invocation.text("cwd");
  if (cwd !== undefined && !/^(?:\/|~(?:\/|$))/.test(cwd)) {
    throw usageError("--cwd is a directory of the other machine: begin it with / or ~.");
  }
  const env = environmentOf(invocation.texts("env"));
  return {
    ...optional("cwd", cwd),
    ...optional("worktree", worktreeAsked(invocation)),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...optional("name", invocation.text("name")),
  };
}

function sizeOf(invocation: Invocation): Pick<LaunchRequest, "cols" | "rows"> {
  const { columns, rows, isTTY } = process.stdout;
  return isTTY && !invocation.flag("detach") && columns > 1 && rows > 0 ? { cols: columns, rows } : {};
}

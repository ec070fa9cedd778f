import { openShimConnection } from "../../client/open-shim-connection.ts";
import { askRunner, type RunnerAnswer } from "../../client/runner-http.ts";
import type { KnownSession } from "../../client/session-list.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { withoutControls } from "../../lib/text/text.ts";
import { SEQ_HEADER } from "../../protocol/runner-headers.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError, type Command } from "../command.ts";
import { ANY_SESSION_ARGUMENT, chooseSession } from "../mux/choose.ts";
import { storedExit } from "../mux/exit-code.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { askDaemonRaw, chooseRemote, connectRemote, isRemoteRef } from "../mux/remote.ts";
import { exitOfRemote } from "../mux/follow-remote.ts";
import { endedMeanwhile, screenOf, screenOfRemote } from "../mux/screen-of.ts";

const DEFAULT_LINES = 50;

const command: Command = {
  name: "tail",
  description:
    "Prints the last lines as text, also of an ended session. -f keeps printing new output. Watch full-screen programs with amux attach --read-only.",
  arguments: [ANY_SESSION_ARGUMENT],
  options: [
    { name: "lines", short: "n", value: "n", description: `how many (default ${DEFAULT_LINES})` },
    { name: "follow", short: "f", description: "follow until the program exits; its exit code is this command's" },
    { name: "raw", description: "with -f: the raw bytes, with colours" },
  ],
  examples: [
    ["amux tail build -n 20", "the last 20 lines"],
    ["amux tail build -f | grep -i error", "watch it without attaching"],
  ],
  async run(invocation) {
    const ref = invocation.arguments[0] ?? "";
    const { output } = invocation;
    const follows = invocation.flag("follow");
    if (output.json && follows) throw usageError("--json and --follow exclude each other.");
    const session = isRemoteRef(ref) ? await there(ref) : here(chooseSession(ref));
    const { lines, seq } = await session.lastLines(invocation.count("lines") ?? DEFAULT_LINES);
    if (output.json) return output.writeJson(lines);
    await output.write(lines.map((line) => `${withoutControls(line)}\n`));
    if (!follows) return undefined;
    if (!session.alive) return session.exitCode();
    const [{ copyOutput }, { PlainText }] = await Promise.all([
      import("../attach/watch-output.ts"),
      import("../attach/plain-text.ts"),
    ]);
    const plain = new PlainText();
    const transform = (data: Buffer): Buffer | string => (invocation.flag("raw") ? data : plain.push(data));
    const copied = copyOutput(() => session.connect(), { since: seq, transform });
    return (await copied.catch(endedMeanwhile)) ?? session.exitCode();
  },
};

export default command;

/** A local or remote session. */
interface Tailed {
  alive: boolean;
  /** Also returns the offset after which more output follows. */
  lastLines(count: number): Promise<{ lines: string[]; seq: number }>;
  connect(): Promise<ShimConnection>;
  exitCode(): number | Promise<number>;
}

function here(session: KnownSession): Tailed {
  const { socket, meta } = sessionFiles(sessionDirectories(), session.meta.id);
  return {
    alive: session.alive,
    lastLines: async (count) => {
      const ask = (): Promise<RunnerAnswer> => askRunner(socket, { method: "GET", path: `/text?lines=${count}` });
      const answer = session.alive ? await ask().catch(endedMeanwhile) : undefined;
      if (answer !== undefined) return linesIn(answer);
      return { lines: (await screenOf(session, count)).text(count), seq: 0 };
    },
    connect: () => openShimConnection(socket),
    exitCode: () => storedExit(meta),
  };
}

async function there(ref: string): Promise<Tailed> {
  const session = await chooseRemote(ref);
  const { id, alive } = session;
  return {
    alive,
    lastLines: async (count) => {
      if (alive) return linesIn(await askDaemonRaw({ method: "GET", path: `/v1/sessions/${id}/text?lines=${count}` }));
      return { lines: (await screenOfRemote(session, count)).text(count), seq: 0 };
    },
    connect: () => connectRemote(id),
    exitCode: () => exitOfRemote(id),
  };
}

function linesIn({ body, headers }: RunnerAnswer): { lines: string[]; seq: number } {
  return { lines: body.toString("utf8").split("\n").slice(0, -1), seq: Number(headers[SEQ_HEADER]) };
}

/**
 * Runs commands of the built `amux` in processes that have loaded it already: starting one takes longer than most commands.
 * Like a process of its own, a command ends when nothing is under way any more. What the launcher does itself (`--version`,
 * `--shim`, `statusline`), signals and pipes need `runCli`.
 */
import { fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { cliVars, jsonOf, type CliResult, type CommandPlace } from "./run-cli.ts";

/** Commands that run at the same time have one each. */
const idle: Host[] = [];
const MAX_IDLE = 3;

export async function warmCli(args: readonly string[], place: CommandPlace): Promise<CliResult> {
  const host = idle.pop() ?? new Host();
  const result = await host.run({ args, env: cliVars(place), cwd: place.cwd ?? process.cwd() });
  if (idle.length === MAX_IDLE) host.end();
  else if (host.isAlive) idle.push(host);
  return result;
}

export async function warmJson<T>(args: readonly string[], place: CommandPlace): Promise<T> {
  return jsonOf<T>(args, await warmCli([...args, "--json"], place));
}

class Host {
  readonly #child: ChildProcess;
  isAlive = true;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "warm-host.mjs"), {
      env: { PATH: process.env["PATH"] },
      execArgv: [],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const { stdout, stderr, channel } = this.#child;
    this.#child.once("close", () => (this.isAlive = false)).unref();
    channel?.unref();
    for (const stream of [stdout, stderr]) (stream!.setEncoding("utf8") as Socket).unref();
  }

  end(): void {
    if (this.isAlive) this.#child.disconnect();
  }

  async run(command: { args: readonly string[]; env: NodeJS.ProcessEnv; cwd: string }): Promise<CliResult> {
    const child = this.#child;
    const mark = `${randomUUID()}\n`;
    const ended = new Promise<number | null>((resolve) => {
      const onMessage = ({ code }: { code: number }): void => settle(code);
      const settle = (code: number | null): void => {
        child.off("message", onMessage).off("close", settle);
        resolve(code);
      };
      child.on("message", onMessage).on("close", settle);
    });
    const said = [textUntil(mark, child.stdout!), textUntil(mark, child.stderr!)] as const;
    child.send({ ...command, mark });
    const [code, stdout, stderr] = await Promise.all([ended, ...said]);
    return { code, stdout, stderr };
  }
}

/** Everything, if the process ends without the mark. */
function textUntil(mark: string, stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const onData = (piece: string): void => {
      text += piece;
      if (text.endsWith(mark)) settle();
    };
    const settle = (): void => {
      stream.off("data", onData).off("close", settle);
      resolve(text.endsWith(mark) ? text.slice(0, -mark.length) : text);
    };
    stream.on("data", onData).on("close", settle);
  });
}

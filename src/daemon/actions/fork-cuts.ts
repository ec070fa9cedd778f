/**
 * Forks that end at a message. No agent's command line says where a copy is to end, but some make a copy of any file: they
 * are given one of ours that ends there. The agent's own store is only read.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { FoundConversation } from "../files/found-conversation.ts";
import type { HistoryRequest } from "../files/history-request.ts";

/** By then the agent has long made its copy. */
const KEPT_MS = 86_400_000;

export class ForkCuts {
  readonly #directory: string;
  readonly #registry: Pick<AgentRegistry, "get">;
  readonly #read: (request: HistoryRequest) => AsyncIterable<string>;

  constructor(
    directory: string,
    registry: Pick<AgentRegistry, "get">,
    read: (request: HistoryRequest) => AsyncIterable<string>,
  ) {
    this.#directory = directory;
    this.#registry = registry;
    this.#read = read;
  }

  /** The command that forks at the message; undefined for an agent that cannot. */
  async write({ agent, sessionId, path }: FoundConversation, message: number): Promise<string[] | undefined> {
    const { launch } = await this.#registry.get(agent);
    if (launch?.forkFile === undefined) return undefined;
    await this.#removeOld();
    const folder = join(this.#directory, randomBytes(6).toString("hex"));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Of the same name: by its name the copy tells later what it is a copy of.
    const cut = join(folder, basename(path));
    const file = await open(cut, "wx", 0o600);
    try {
      let isEmpty = true;
      for await (const lines of this.#read({ kind: "cut", session: { agent, sessionId }, message })) {
        await file.write(lines);
        isEmpty = false;
      }
      return isEmpty ? undefined : launch.forkFile(cut);
    } finally {
      await file.close();
    }
  }

  async #removeOld(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#directory)) {
      const folder = join(this.#directory, name);
      const { mtimeMs } = await stat(folder);
      if (Date.now() - mtimeMs > KEPT_MS) await rm(folder, { recursive: true, force: true });
    }
  }
}

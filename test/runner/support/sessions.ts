/** Real sessions in a temporary home; everything started is gone after the test. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../../scripts/remove-tree.mjs";
import { askRunner, type RunnerAnswer, type RunnerRequest } from "../../../src/client/runner-http.ts";
import { ShimClient, type SpawnRequest } from "../../../src/client/shim-client.ts";
import { isLockHeld } from "../../../src/lib/process/process-lock.ts";
import { socketAnswers } from "../../../src/lib/process/socket-probe.ts";
import type { SessionMeta } from "../../../src/protocol/runner-api.ts";
import { askOnFailure, waitFor } from "../../support/wait-for.ts";
import { endSessions } from "./end-sessions.ts";
import { lastScreens } from "./last-screens.ts";

export const runnerBundle = join(import.meta.dirname, "../../../dist/runner.cjs");

const homes: TestHome[] = [];

/** Called after every test. */
export async function disposeHomes(): Promise<void> {
  for (const home of homes.splice(0)) await home.dispose();
}

export class TestHome {
  readonly home = mkdtempSync("/tmp/amux-test-");
  readonly client: ShimClient;
  private readonly removals: (() => unknown)[] = [];

  constructor(env: Record<string, string> = {}) {
    const inherited = { ...process.env, AMUX_STATUS_DIR: join(this.home, ".claude-sessions"), ...env };
    this.client = new ShimClient({ home: this.home, runner: runnerBundle, env: inherited });
    homes.push(this);
    askOnFailure(() => lastScreens(this.home, this.client));
  }

  /** Runs a shell command in a new session, by default in the home directory. */
  spawn(script: string, options: Partial<SpawnRequest> = {}): Promise<string> {
    return this.client.spawn({ command: ["sh", "-c", script], cwd: this.home, ...options });
  }

  ask(id: string, request: Partial<RunnerRequest> & { path: string }): Promise<RunnerAnswer> {
    return askRunner(this.client.files(id).socket, { method: "GET", ...request });
  }

  async meta(id: string): Promise<SessionMeta> {
    return JSON.parse((await this.ask(id, { path: "/meta" })).body.toString()) as SessionMeta;
  }

  /** From disk, also after the runner has exited. */
  storedMeta(id: string): SessionMeta {
    return JSON.parse(readFileSync(this.client.files(id).meta, "utf8")) as SessionMeta;
  }

  async text(id: string, lines = 100): Promise<string> {
    return (await this.ask(id, { path: `/text?lines=${lines}` })).body.toString();
  }

  async waitForText(id: string, wanted: string | RegExp): Promise<string> {
    return waitFor(`"${String(wanted)}" on the screen`, async () => {
      const text = await this.text(id);
      return (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) ? text : undefined;
    });
  }

  /** Waits until the runner has exited and its files are complete. */
  async waitForEnd(id: string): Promise<SessionMeta> {
    const { socket, lock, meta } = this.client.files(id);
    await waitFor("the end of the session", () => !existsSync(socket) && !isLockHeld(lock) && existsSync(meta));
    return this.storedMeta(id);
  }

  /** After a kill -9. Its socket and its lock are free one after the other, in either order. */
  async waitUntilGone(id: string): Promise<void> {
    const { socket, lock } = this.client.files(id);
    await waitFor("the runner to be gone", async () => !isLockHeld(lock) && !(await socketAnswers(socket)));
  }

  beforeRemoval(act: () => unknown): void {
    this.removals.push(act);
  }

  async dispose(): Promise<void> {
    this.client.close();
    await endSessions(this.client);
    for (const act of this.removals) act();
    await removeTree(this.home);
  }
}

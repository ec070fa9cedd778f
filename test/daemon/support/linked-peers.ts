/** The daemon's peer links alone, in this process and with short timeouts. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PeerStatus } from "../../../src/protocol/peers.ts";
import { PeerFile } from "../../../src/daemon/peers/peer-file.ts";
import { LINK_LIMITS, type LinkLimits } from "../../../src/daemon/peers/peer-link.ts";
import { Peers } from "../../../src/daemon/peers/peers.ts";
import { SessionStore } from "../../../src/daemon/store/store.ts";
import { waitFor } from "../../support/wait-for.ts";
import { TOKEN } from "./fake-peer.ts";

const QUICK: LinkLimits = { ...LINK_LIMITS, firstRetryMs: 20, lastRetryMs: 200 };

export class LinkedPeers {
  readonly root = mkdtempSync("/tmp/amux-p-");
  readonly store = new SessionStore();
  readonly activity: string[] = [];
  /** The planned pause before each retry, in milliseconds. */
  readonly pauses: number[] = [];
  readonly peers: Peers;
  #lastRetry = "";
  /** How many changes were broadcast. */
  changes = 0;

  constructor(pace: Partial<LinkLimits> = {}) {
    this.store.onChange(() => (this.changes += 1));
    this.peers = new Peers({
      file: new PeerFile(join(this.root, "peers.json")),
      store: this.store,
      socketDirectory: this.root,
      vars: {},
      isSelf: () => false,
      onStatus: () => this.#noteRetries(),
      onActivity: (id) => this.activity.push(id),
      onConversation: () => undefined,
      onAttention: () => undefined,
      onProblem: (_, error) => {
        throw error;
      },
      pace: { ...QUICK, ...pace },
    });
    this.peers.start();
    onTestFinished(() => {
      this.peers.close();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  link(name: string, url: string): void {
    this.peers.add({ name, url, token: TOKEN });
  }

  status(name: string): PeerStatus {
    return this.peers.list().find((peer) => peer.name === name)!;
  }

  /** At the moment it is planned: a look that comes later would see less of it, or the next one. */
  #noteRetries(): void {
    for (const { retry_at } of this.peers.list()) {
      if (retry_at === undefined || retry_at === this.#lastRetry) continue;
      this.#lastRetry = retry_at;
      this.pauses.push(Date.parse(retry_at) - Date.now());
    }
  }

  until(name: string, state: PeerStatus["state"]): Promise<PeerStatus> {
    return waitFor(`${name} to be ${state}`, () => {
      const status = this.status(name);
      return status.state === state ? status : undefined;
    });
  }

  ids(): string[] {
    return this.store.list().map(({ id }) => id);
  }

  titles(): string[] {
    return this.store.list().map(({ title }) => title);
  }

  /** A request about a peer's session, as the HTTP interface makes it. */
  async ask(id: string, action: string, method: "GET" | "POST" = "POST"): Promise<Response> {
    const headers = new Headers();
    const signal = new AbortController().signal;
    return this.peers.forward(id, action, { method, search: "", headers, body: undefined, signal });
  }
}

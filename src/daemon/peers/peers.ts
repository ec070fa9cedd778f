/** All linked machines. */
import { createHash, X509Certificate } from "node:crypto";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { LaunchRequest } from "../../protocol/daemon-api.ts";
import { Started } from "../../protocol/daemon-api.ts";
import { parsePeerAddress, type AddPeerRequest, type PeerStatus } from "../../protocol/peers.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import type { AttentionItem } from "../../status/attention.ts";
import { isPrivate } from "../process/private-address.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";
import { askPeer, askPeerForAll, readPeer, type PeerRequest } from "./ask-peer.ts";
import { forward, type ForwardedRequest } from "./forward.ts";
import type { StoredPeer, PeerFile } from "./peer-file.ts";
import { LINK_LIMITS, PeerLink, type LinkLimits } from "./peer-link.ts";
import { reasonOf } from "./unreachable-reason.ts";
import type { PeerHealth } from "./remote-session.ts";

/** Time for a machine to start a session. */
const LAUNCH_WITHIN_MS = 60_000;
/** Time for a session's row to follow the answer with its id. */
const ROW_WITHIN_MS = 5000;

export interface PeersParts {
  file: PeerFile;
  store: SessionStore;
  socketDirectory: string;
  vars: Readonly<Record<string, string | undefined>>;
  /** Whether a daemon's answer is our own. */
  isSelf(health: PeerHealth): boolean;
  onStatus(): void;
  onActivity(id: string): void;
  onConversation(peer: string, unifiedId: string): void;
  onAttention(): void;
  pace?: LinkLimits;
  onProblem(what: string, error: unknown): void;
}

/** An open connection to another machine's daemon. */
type Reach = NonNullable<PeerLink["open"]> & Pick<PeerLink, "during">;

export class Peers {
  readonly #parts: PeersParts;
  readonly #links = new Map<string, PeerLink>();
  #kept: StoredPeer[] = [];
  #ticking: NodeJS.Timeout | undefined;

  constructor(parts: PeersParts) {
    this.#parts = parts;
  }

  /** An unusable file costs its peers, not the daemon. */
  start(): void {
    try {
      this.#kept = this.#parts.file.read();
    } catch (error) {
      this.#parts.onProblem("peers.json", error);
    }
    for (const peer of this.#kept) this.#link(peer);
    const { tickMs, sleptMs } = this.#parts.pace ?? LINK_LIMITS;
    let last = Date.now();
    this.#ticking = setInterval(() => {
      const now = Date.now();
      const slept = now - last > sleptMs;
      last = now;
      if (slept) for (const link of this.#links.values()) link.connect();
    }, tickMs).unref();
  }

  close(): void {
    clearInterval(this.#ticking);
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  /** Attention lists of reachable machines. */
  attention(): AttentionItem[] {
    return [...this.#links.values()].flatMap(({ attention }) => attention);
  }

  list(): PeerStatus[] {
    return [...this.#links.values()].map((link) => link.status());
  }

  /** An existing name is replaced. */
  add(request: AddPeerRequest): PeerStatus {
    checkAddress(request);
    const others = this.#parts.file.read().filter(({ name }) => name !== request.name);
    this.#keep([...others, request]);
    this.#links.get(request.name)?.close();
    this.#link(request);
    this.#parts.onStatus();
    return this.#links.get(request.name)!.status();
  }

  /** At once instead of at the next planned try. */
  retry(name: string): PeerStatus {
    const link = this.#known(name);
    link.retry();
    return link.status();
  }

  remove(name: string): void {
    this.#known(name).close();
    this.#links.delete(name);
    this.#keep(this.#parts.file.read().filter((peer) => peer.name !== name));
    this.#parts.onStatus();
  }

  get names(): string[] {
    return [...this.#links.keys()];
  }

  /** Queries every machine at once; unreachable ones return the reason. */
  askAll<Value>(
    request: PeerRequest & { maxBytes: number },
    schema: z.ZodMiniType<Value>,
    signal: AbortSignal,
  ): Promise<{ machine: string; answer?: Value[]; error?: string }[]> {
    return Promise.all(
      this.names.map(async (machine) => {
        try {
          const link = this.reach(machine);
          const either = AbortSignal.any([link.signal, signal]);
          return { machine, answer: await link.during(() => askPeerForAll(link.endpoint, request, schema, either)) };
        } catch (error) {
          return { machine, error: reasonOf(error) };
        }
      }),
    );
  }

  /** Streams a machine's answer, aborted with the link. */
  read<Value>(
    name: string,
    request: PeerRequest & { maxBytes: number },
    signal: AbortSignal,
    work: (pieces: AsyncIterable<Buffer>) => Promise<Value>,
  ): Promise<Value> {
    const link = this.reach(name);
    const either = AbortSignal.any([link.signal, signal]);
    return link.during(() => work(readPeer(link.endpoint, request, either)));
  }

  /** Forwards an action on a remote session. `action` is the path after the id: `/kill`. */
  async forward(id: string, action: string, request: ForwardedRequest): Promise<Response> {
    const remote = splitRemoteId(id);
    if (remote === undefined || this.#parts.store.get(id) === undefined) {
      throw new Problem("not_found", `There is no session ${id}.`);
    }
    return this.forwardTo(remote.peer, `/v1/sessions/${remote.id}${action}`, request);
  }

  /** Forwards a request to another machine. */
  async forwardTo(peer: string, path: string, request: ForwardedRequest): Promise<Response> {
    const link = this.reach(peer);
    return link.during(() => forward(peer, path, link, request));
  }

  async launch({ peer = "", ...request }: LaunchRequest): Promise<Started> {
    const { endpoint, signal, during } = this.reach(peer);
    const body = JSON.stringify(request);
    const headers = { "content-type": "application/json" };
    const wanted = { method: "POST", path: "/v1/launch", body, headers, withinMs: LAUNCH_WITHIN_MS } as const;
    const started = await during(() => askPeer(endpoint, wanted, Started, signal)).catch((error: unknown) => {
      throw outOfReach(peer, error);
    });
    const id = `${started.session_id}@${peer}`;
    await this.#row(id);
    return { ...started, session_id: id };
  }

  /** Its current endpoint. */
  reach(name: string): Reach {
    const link = this.#known(name);
    if (link.open !== undefined) return { ...link.open, during: (work) => link.during(work) };
    const { error = "It has not answered yet." } = link.status();
    throw new Problem("peer_unreachable", `${name} cannot be reached. ${error}`);
  }

  #known(name: string): PeerLink {
    const link = this.#links.get(name);
    if (link === undefined) throw new Problem("unknown_peer", `There is no peer ${name}. See amux peers list.`);
    return link;
  }

  #keep(peers: StoredPeer[]): void {
    this.#parts.file.write(peers);
    this.#kept = peers;
  }

  #link(peer: StoredPeer): void {
    const address = parsePeerAddress(peer.url);
    if (address === undefined) {
      return this.#parts.onProblem(
        "peers.json",
        new Error(`The address of ${peer.name} is invalid. Link it again with amux peers add.`),
      );
    }
    const {
      store,
      socketDirectory,
      vars,
      onStatus,
      onActivity,
      onConversation,
      onAttention,
      pace = LINK_LIMITS,
    } = this.#parts;
    // Shortens any name for a path with a length limit.
    const short = createHash("sha256").update(peer.name).digest("hex").slice(0, 12);
    const link = new PeerLink({
      peer,
      address,
      store,
      tunnelPath: join(socketDirectory, `peer-${short}.sock`),
      vars,
      objection: (health) => this.#objection(peer.name, health),
      onStatus,
      onActivity,
      onConversation,
      onAttention,
      pace,
    });
    this.#links.set(peer.name, link);
    link.connect();
  }

  /** One machine under two names would show each session twice. */
  #objection(name: string, health: PeerHealth): string | undefined {
    if (this.#parts.isSelf(health)) return "This is the daemon of this machine itself.";
    const twin = [...this.#links.values()].find(
      (link) => link.name !== name && link.open !== undefined && isSame(link.health, health),
    );
    return twin && `This is the same daemon as ${twin.name}.`;
  }

  #row(id: string): Promise<void> {
    const { store } = this.#parts;
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(finish, ROW_WITHIN_MS);
      const stop = store.onChange((change) => {
        if (change.id === id) finish();
      });
      if (store.get(id) !== undefined) finish();
    });
  }
}

/** The other daemon's message is passed on; a broken link gets our own. */
function outOfReach(peer: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem("peer_unreachable", `${peer} cannot be reached. ${reasonOf(error)}`, error);
}

function isSame(a: PeerHealth | undefined, b: PeerHealth): boolean {
  return a !== undefined && a.pid === b.pid && a.started_at === b.started_at && a.hostname === b.hostname;
}

function checkAddress({ url, token, ca }: AddPeerRequest): void {
  const address = parsePeerAddress(url);
  if (address === undefined) {
    throw new Problem(
      "bad_request",
      "The address must be https://host:port, http://host:port or ssh://[user@]host[:port], without a path, a user's password or a query.",
    );
  }
  if (ca !== undefined) checkCertificate(url, ca);
  if (address.kind === "ssh") {
    if (token !== undefined) throw new Problem("bad_request", "ssh needs no token: it uses its own keys.");
    return;
  }
  if (token === undefined) throw new Problem("bad_request", "Over HTTP the token of the other daemon is needed.");
  const { protocol, hostname } = new URL(address.origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:" && host !== "localhost" && !isPrivate(host)) {
    throw new Problem(
      "bad_request",
      "Links without encryption are allowed only in private networks, because others could read the token. Use https:// or ssh://.",
    );
  }
}

function checkCertificate(url: string, ca: string): void {
  if (!url.startsWith("https:")) throw new Problem("bad_request", "A certificate is for https:// only.");
  try {
    // The first certificate; the rest is its chain.
    void new X509Certificate(ca);
  } catch (error) {
    throw new Problem("bad_request", "The certificate is invalid: it must be in PEM format.", error);
  }
}

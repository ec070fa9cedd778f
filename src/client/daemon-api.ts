/**
 * The daemon's API as functions for every client: the command line brings a Unix socket, the page brings fetch. No Node modules
 * here.
 */
import type { MachineReport } from "../core/agent-report.ts";
import type { SessionChanges } from "../core/changes.ts";
import type { CostExplanation, CostSummary } from "../core/cost.ts";
import type { SessionDiff } from "../core/diff.ts";
import type { SessionSummary } from "../core/session.ts";
import type { Capabilities, Health, LaunchRequest, Receipt, SessionDetails, Started } from "../protocol/daemon-api.ts";
import type { Facets, Overview, PricedModel, SearchProgress } from "../protocol/history-api.ts";
import type { LimitsAnswer } from "../protocol/limits.ts";
import type { AddPeerRequest, PeerStatus } from "../protocol/peers.ts";
import type { ProjectList, ProjectsAnswer } from "../protocol/projects.ts";
import type { LookedAt } from "../protocol/changes.ts";
import type { Review, ReviewChange, ReviewSend, ReviewSent } from "../protocol/review.ts";
import type { CreatedShareLink, ShareLink, ShareLinkRequest } from "../protocol/share-links.ts";
import type { AgentHooks, HooksChange } from "../protocol/settings-api.ts";
import type {
  Wire,
  TranscriptPart,
  HistoryHit,
  FleetListed,
  FleetCostSummary,
  FleetCostExplanation,
  FleetFound,
  HistoryFilters,
  FleetListQuery,
  ChangesTarget,
  ChangesQuery,
} from "./daemon-answers.ts";

export type * from "./daemon-answers.ts";

export interface DaemonRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Includes the query. */
  path: string;
  /** Sent as JSON, unless it is binary. */
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface DaemonTransport {
  /** The answer's data; a refusal throws the daemon's error. */
  ask<Data>(request: DaemonRequest): Promise<Data>;
}

/** Query values; undefined ones are left out. */
type Query = Record<string, string | number | boolean | undefined>;

/** The daemon has its own timeout for each machine. */
const FLEET_WITHIN_MS = 200_000;

export class DaemonApi {
  readonly #transport: DaemonTransport;

  constructor(transport: DaemonTransport) {
    this.#transport = transport;
  }

  health(): Promise<Health> {
    return this.#get("/v1/health");
  }

  capabilities(peer?: string): Promise<Capabilities> {
    return this.#get("/v1/capabilities", { peer });
  }

  limits(peer?: string): Promise<LimitsAnswer> {
    return this.#get("/v1/limits", { peer });
  }

  /** The state of hooks in agents' settings. */
  hooks(): Promise<AgentHooks[]> {
    return this.#get("/v1/hooks");
  }

  installHooks(agent: string): Promise<HooksChange> {
    return this.#post(`/v1/hooks/${agent}`);
  }

  uninstallHooks(agent: string): Promise<HooksChange> {
    return this.#transport.ask({ method: "DELETE", path: `/v1/hooks/${agent}` });
  }

  /** Reads every session; takes minutes on a machine with much history. */
  doctor(signal?: AbortSignal): Promise<MachineReport> {
    return this.#get("/v1/doctor", {}, signal, FLEET_WITHIN_MS);
  }

  /** Stops the daemon; sessions continue. */
  shutDown(): Promise<null> {
    return this.#post("/v1/shutdown");
  }

  loginCode(): Promise<{ code: string; expires_at: string }> {
    return this.#post("/v1/login-codes");
  }

  logIn(proof: { token?: string; code?: string }): Promise<null> {
    return this.#post("/auth/login", proof);
  }

  logOut(): Promise<null> {
    return this.#post("/auth/logout");
  }

  /** Open links to redacted sessions. */
  shareLinks(): Promise<ShareLink[]> {
    return this.#get("/v1/share-links");
  }

  /** Inspects the whole session first, which takes a while. */
  createShareLink(request: ShareLinkRequest): Promise<CreatedShareLink> {
    return this.#transport.ask({
      method: "POST",
      path: "/v1/share-links",
      body: request,
      timeoutMs: FLEET_WITHIN_MS,
    });
  }

  revokeShareLink(id: string): Promise<null> {
    return this.#transport.ask({ method: "DELETE", path: `/v1/share-links/${id}` });
  }

  peers(): Promise<PeerStatus[]> {
    return this.#get("/v1/peers");
  }

  addPeer(request: AddPeerRequest): Promise<PeerStatus> {
    return this.#post("/v1/peers", request);
  }

  retryPeer(name: string): Promise<PeerStatus> {
    return this.#post(`/v1/peers/${name}/retry`);
  }

  removePeer(name: string): Promise<null> {
    return this.#transport.ask({ method: "DELETE", path: `/v1/peers/${name}` });
  }

  details(id: string): Promise<SessionDetails> {
    return this.#get(`/v1/sessions/${id}/details`);
  }

  launch(request: LaunchRequest): Promise<Started> {
    return this.#post("/v1/launch", request);
  }

  resume(id: string): Promise<Started> {
    return this.#post(`/v1/sessions/${id}/resume`);
  }

  restart(id: string): Promise<Started> {
    return this.#post(`/v1/sessions/${id}/restart`);
  }

  kill(id: string): Promise<null> {
    return this.#post(`/v1/sessions/${id}/kill`);
  }

  dismiss(id: string): Promise<null> {
    return this.#post(`/v1/sessions/${id}/dismiss`);
  }

  /** Shows a session again that was just dismissed. */
  restore(id: string): Promise<null> {
    return this.#post(`/v1/sessions/${id}/restore`);
  }

  read(id: string): Promise<null> {
    return this.#post(`/v1/sessions/${id}/read`);
  }

  /**
   * Answers with an option's number or label, `allow`, `deny` or text: through the agent's hook if it waits, otherwise on its
   * screen.
   */
  answer(id: string, answer: string, asked?: string): Promise<Receipt> {
    return this.#post(`/v1/sessions/${id}/answer`, { answer, ...(asked === undefined ? {} : { asked }) });
  }

  /** Types a message and presses Enter; refused while the session asks something. */
  message(id: string, text: string): Promise<Receipt> {
    return this.#post(`/v1/sessions/${id}/message`, { text });
  }

  rename(id: string, title: string): Promise<null> {
    return this.#put(`/v1/sessions/${id}/title`, { title });
  }

  /** Stores a file where the session's program can read it. */
  keepPaste(id: string, content: Blob): Promise<{ path: string }> {
    return this.#post(`/v1/sessions/${id}/clipboard`, content);
  }

  /** Opens another terminal in the session, with the user's shell in its directory. */
  openTerminal(id: string): Promise<{ id: string }> {
    return this.#post(`/v1/sessions/${id}/terminals`, {});
  }

  endTerminal(id: string, pty: string): Promise<null> {
    return this.#transport.ask({
      method: "DELETE",
      path: `/v1/sessions/${id}/terminals?pty=${encodeURIComponent(pty)}`,
    });
  }

  /** Hides a session from the attention list for a while; without a time, shows it again. */
  snooze(id: string, seconds?: number): Promise<null> {
    return this.#post(`/v1/sessions/${id}/snooze`, seconds === undefined ? {} : { seconds });
  }

  replaceProjects(list: ProjectList): Promise<ProjectsAnswer> {
    return this.#put("/v1/projects", list);
  }

  /** Models with their prices, on this machine or a peer. */
  models(peer?: string): Promise<PricedModel[]> {
    return this.#get("/v1/models", { peer });
  }

  /** Directories with this prefix, on this machine or a peer. */
  directories(prefix: string, signal?: AbortSignal, peer?: string): Promise<string[]> {
    return this.#get("/v1/directories", { prefix, peer }, signal);
  }

  history(
    filters: HistoryFilters & { cwd?: string; limit?: number; counts?: boolean },
    peer?: string,
    signal?: AbortSignal,
  ): Promise<Wire<SessionSummary>[]> {
    return this.#get("/v1/history", { ...filters, peer }, signal);
  }

  search(
    q: string,
    filters: HistoryFilters & { limit?: number; counts?: boolean },
    signal?: AbortSignal,
  ): Promise<HistoryHit[]> {
    return this.#get("/v1/history/search", { q, ...filters }, signal);
  }

  /** How far the running search is. */
  searchProgress(): Promise<SearchProgress> {
    return this.#get("/v1/history/progress");
  }

  /** Messages `from` to `from + limit` and the sub-agents' transcripts, from this machine or a peer. */
  transcript(
    unifiedId: string,
    from: number,
    limit: number,
    signal?: AbortSignal,
    peer?: string,
  ): Promise<TranscriptPart> {
    return this.#get(`/v1/history/${encodeURIComponent(unifiedId)}`, { from, limit, peer }, signal);
  }

  /** Number of hits by each filter value; of all sessions for an empty search. */
  facets(q: string, filters: HistoryFilters, signal?: AbortSignal, peer?: string): Promise<Facets> {
    return this.#get("/v1/history/facets", { q: q === "" ? undefined : q, ...filters, peer }, signal);
  }

  /** Activity by day, and what changed since a given time. */
  overview(query: { since?: string; days?: number; time_zone?: string }): Promise<Overview> {
    return this.#get("/v1/overview", { ...query });
  }

  /** Changes the tags of a past session, here or on a peer. */
  tag(unifiedId: string, change: { add?: string[]; remove?: string[] }, peer?: string): Promise<{ tags: string[] }> {
    const where = peer === undefined ? "" : `?peer=${encodeURIComponent(peer)}`;
    return this.#post(`/v1/history/${encodeURIComponent(unifiedId)}/tags${where}`, change);
  }

  /** Starts a session that resumes the conversation, or forks it at a message, here or on a peer. */
  open(unifiedId: string, action: "resume" | "fork", peer?: string, message?: number): Promise<Started> {
    const where = peer === undefined ? "" : `?peer=${encodeURIComponent(peer)}`;
    const body = message === undefined ? {} : { message };
    return this.#post(`/v1/history/${encodeURIComponent(unifiedId)}/${action}${where}`, body);
  }

  /** Puts files of a conversation back that only the vault has. */
  restoreFiles(unifiedId: string, peer?: string): Promise<{ restored: number }> {
    const where = peer === undefined ? "" : `?peer=${encodeURIComponent(peer)}`;
    return this.#post(`/v1/history/${encodeURIComponent(unifiedId)}/restore${where}`, {});
  }

  diff(a: string, b: string, signal?: AbortSignal, peer?: string): Promise<Wire<SessionDiff>> {
    return this.#get("/v1/history/diff", { a, b, peer }, signal);
  }

  /** The same over this machine and all its peers. */
  fleetHistory(query: HistoryFilters & FleetListQuery, signal?: AbortSignal): Promise<FleetListed> {
    return this.#get("/v1/fleet/history", { ...query }, signal, FLEET_WITHIN_MS);
  }

  fleetSearch(
    q: string,
    filters: HistoryFilters & { limit?: number; sort?: string; counts?: boolean },
    signal?: AbortSignal,
  ): Promise<FleetFound> {
    return this.#get("/v1/fleet/search", { q, ...filters }, signal, FLEET_WITHIN_MS);
  }

  fleetCost(
    query: HistoryFilters & { group_by?: string; time_zone?: string },
    signal?: AbortSignal,
  ): Promise<FleetCostSummary> {
    return this.#get("/v1/fleet/cost", { ...query }, signal, FLEET_WITHIN_MS);
  }

  fleetCostExplained(
    query: HistoryFilters & { group_by?: string; time_zone?: string; session?: string },
    signal?: AbortSignal,
  ): Promise<FleetCostExplanation> {
    return this.#get("/v1/fleet/cost", { ...query, explain: true }, signal, FLEET_WITHIN_MS);
  }

  cost(
    query: HistoryFilters & { group_by?: string; time_zone?: string; session?: string; peer?: string | undefined },
    signal?: AbortSignal,
  ): Promise<CostSummary> {
    return this.#get("/v1/cost", { ...query, explain: false }, signal);
  }

  explainCost(
    query: HistoryFilters & { session?: string; peer?: string | undefined },
    signal?: AbortSignal,
  ): Promise<Wire<CostExplanation>> {
    return this.#get("/v1/cost", { ...query, explain: true }, signal);
  }

  /** What a session changed in its repository. */
  changes(target: ChangesTarget, query: ChangesQuery, signal?: AbortSignal): Promise<SessionChanges> {
    return this.#get(pathOf(target, "changes"), { ...query, ...peerOf(target) }, signal);
  }

  /** Marks hunks as looked at. */
  lookedAt(target: ChangesTarget, seen: LookedAt): Promise<unknown> {
    return this.#post(withPeer(target, "changes/look"), seen);
  }

  /** Comments on what a session changed. */
  review(target: ChangesTarget, signal?: AbortSignal): Promise<Review> {
    return this.#get(pathOf(target, "review"), peerOf(target), signal);
  }

  changeReview(target: ChangesTarget, change: ReviewChange): Promise<Review> {
    return this.#post(withPeer(target, "review"), change);
  }

  sendReview(target: ChangesTarget, wish: ReviewSend): Promise<ReviewSent> {
    return this.#post(withPeer(target, "review/send"), wish);
  }

  #get<Data>(path: string, query: Query = {}, signal?: AbortSignal, timeoutMs?: number): Promise<Data> {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
    const text = given.toString();
    const full = text === "" ? path : `${path}?${text}`;
    return this.#transport.ask({
      method: "GET",
      path: full,
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  #post<Data>(path: string, body?: unknown): Promise<Data> {
    return this.#transport.ask({ method: "POST", path, body });
  }

  #put<Data>(path: string, body: unknown): Promise<Data> {
    return this.#transport.ask({ method: "PUT", path, body });
  }
}

function pathOf(target: ChangesTarget, what: string): string {
  return "id" in target
    ? `/v1/sessions/${target.id}/${what}`
    : `/v1/history/${encodeURIComponent(target.unifiedId)}/${what}`;
}

function peerOf(target: ChangesTarget): { peer?: string } {
  return "id" in target || target.peer === undefined ? {} : { peer: target.peer };
}

function withPeer(target: ChangesTarget, what: string): string {
  const { peer } = peerOf(target);
  return `${pathOf(target, what)}${peer === undefined ? "" : `?peer=${encodeURIComponent(peer)}`}`;
}

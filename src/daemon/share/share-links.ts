/**
 * Links to redacted snapshots of sessions. Each has a secret of its own, of which only the hash is kept. What was inspected at
 * creation is what is shown: a link never reads the session again.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf, namesIn } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import {
  DEFAULT_SHARE_S,
  SHARED_PATH,
  ShareLink,
  type CreatedShareLink,
  type ShareLinkRequest,
} from "../../protocol/share-links.ts";
import type { SessionReference } from "../../core/diff.ts";
import type { LoginEnvironment } from "../actions/login-environment.ts";
import type { HistoryRequest } from "../files/history-request.ts";
import type { Snapshot } from "../files/share-snapshot.ts";
import { Problem } from "../problem.ts";

/** People never need more; each is a file. */
const MAX_LINKS = 100;

/** And what an interrupted writer left. */
const SNAPSHOT = /^[0-9a-f]{8}\.html/;

const KeptLink = z.extend(ShareLink, { hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) });
type KeptLink = z.infer<typeof KeptLink>;

const KeptLinks = z.object({ version: z.literal(1), links: z.array(KeptLink) });

export interface Clock {
  now(): number;
  /** Never goes back. */
  uptime(): number;
}

const CLOCK: Clock = { now: () => Date.now(), uptime: () => performance.now() };

export interface ShareLinksParts {
  /** amux's home. */
  home: string;
  read(request: HistoryRequest, signal?: AbortSignal): AsyncIterable<string>;
  /** Its secrets are taken out, too. */
  login: Pick<LoginEnvironment, "get">;
  onProblem(what: string, error: unknown): void;
  clock?: Clock;
}

interface OpenLink extends KeptLink {
  /** By the clock that never goes back: setting the other one back does not prolong a link. */
  closesAt: number;
}

export class ShareLinks {
  readonly #path: string;
  readonly #directory: string;
  readonly #read: ShareLinksParts["read"];
  readonly #login: ShareLinksParts["login"];
  readonly #onProblem: ShareLinksParts["onProblem"];
  readonly #clock: Clock;
  /** Its file is there but cannot be read: nothing is written or removed then. */
  #isUnreadable = false;
  #links: OpenLink[];

  constructor({ home, read, login, onProblem, clock = CLOCK }: ShareLinksParts) {
    this.#path = join(home, "share-links.json");
    this.#directory = join(home, "share-links");
    this.#read = read;
    this.#login = login;
    this.#onProblem = onProblem;
    this.#clock = clock;
    this.#links = this.#kept().map((link) => this.#opened(link));
    if (!this.#isUnreadable) this.#removeStrays();
  }

  /** Without those that expired. */
  list(): ShareLink[] {
    this.#refuseUnreadable();
    this.dropExpired();
    return this.#links.map(publicPart);
  }

  async create(session: SessionReference, request: ShareLinkRequest, signal?: AbortSignal): Promise<CreatedShareLink> {
    const { session: unifiedId, expires_s: seconds = DEFAULT_SHARE_S, take_unsure: takeUnsure = false } = request;
    this.#refuseMany();
    ensurePrivateDirectory(this.#directory);
    const id = randomBytes(4).toString("hex");
    const file = this.#fileOf(id);
    let answer = "";
    const secrets = { vars: await this.#login.get(), values: request.also_redact ?? [] };
    const wanted: HistoryRequest = { kind: "share", session, file, takeUnsure, secrets };
    for await (const piece of this.#read(wanted, signal)) answer += piece;
    const { title, redacted, bytes } = JSON.parse(answer) as Snapshot;
    const secret = randomBytes(32).toString("base64url");
    const now = this.#clock.now();
    const link: ShareLink = {
      id,
      session: unifiedId,
      title,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + seconds * 1000).toISOString(),
      redacted,
      bytes,
    };
    try {
      this.#refuseMany();
      this.#write([...this.#links, this.#opened({ ...link, hash: hashOf(secret).toString("hex") })]);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    return { ...link, path: `${SHARED_PATH}${secret}` };
  }

  revoke(id: string): void {
    this.#refuseUnreadable();
    const rest = this.#links.filter((link) => link.id !== id);
    if (rest.length === this.#links.length) throw new Problem("not_found", `There is no share link ${id}.`);
    this.#write(rest);
    rmSync(this.#fileOf(id), { force: true });
  }

  /** The id and file of the link with this secret, if it is open. Every link is compared, in constant time. */
  find(secret: string): { id: string; file: string } | undefined {
    this.#closeExpired();
    const hash = hashOf(secret);
    let found: OpenLink | undefined;
    for (const link of this.#links) if (timingSafeEqual(hash, Buffer.from(link.hash, "hex"))) found = link;
    return found === undefined || !this.#isValid(found) ? undefined : { id: found.id, file: this.#fileOf(found.id) };
  }

  isOpen(id: string): boolean {
    return this.#links.some((link) => link.id === id && this.#isValid(link));
  }

  #isValid({ created_at, expires_at, closesAt }: OpenLink): boolean {
    const now = this.#clock.now();
    // A clock from before the link was made says nothing about its age.
    return now >= Date.parse(created_at) && now < Date.parse(expires_at) && this.#clock.uptime() < closesAt;
  }

  /** For good, and without writing anything: reading must work on a full disk. */
  #closeExpired(): void {
    const now = this.#clock.now();
    for (const link of this.#links) if (now >= Date.parse(link.expires_at)) link.closesAt = Number.NEGATIVE_INFINITY;
  }

  /** One that a clock before its time closes is kept: it may be set right again. */
  dropExpired(): void {
    this.#closeExpired();
    const uptime = this.#clock.uptime();
    const past = this.#links.filter(({ closesAt }) => uptime >= closesAt);
    if (past.length === 0) return;
    this.#write(this.#links.filter((link) => !past.includes(link)));
    for (const { id } of past) rmSync(this.#fileOf(id), { force: true });
  }

  #refuseUnreadable(): void {
    if (!this.#isUnreadable) return;
    throw new Problem(
      "not_possible",
      `${this.#path} cannot be read, so no share link is open. Mend or remove it, then run amux daemon restart.`,
    );
  }

  #refuseMany(): void {
    this.#refuseUnreadable();
    this.dropExpired();
    if (this.#links.length >= MAX_LINKS)
      throw new Problem("not_possible", `There are ${MAX_LINKS} share links. Revoke some first: amux share list.`);
  }

  #opened(link: KeptLink): OpenLink {
    const left = Date.parse(link.expires_at) - Math.max(this.#clock.now(), Date.parse(link.created_at));
    return { ...link, closesAt: this.#clock.uptime() + left };
  }

  #fileOf(id: string): string {
    return join(this.#directory, `${id}.html`);
  }

  #kept(): KeptLink[] {
    try {
      return KeptLinks.parse(JSON.parse(readText(this.#path))).links;
    } catch (error) {
      // All links are closed then.
      if (codeOf(error) === "ENOENT") return [];
      this.#isUnreadable = true;
      this.#onProblem(`reading ${this.#path}`, error);
      return [];
    }
  }

  #write(links: OpenLink[]): void {
    const kept = links.map(({ closesAt: _, ...link }) => link);
    writeFileAtomic(this.#path, `${JSON.stringify({ version: 1, links: kept }, undefined, 2)}\n`);
    this.#links = links;
  }

  /** Snapshots whose link was not kept: the daemon ended in between. */
  #removeStrays(): void {
    const known = new Set(this.#links.map(({ id }) => `${id}.html`));
    try {
      for (const name of namesIn(this.#directory))
        if (SNAPSHOT.test(name) && !known.has(name)) rmSync(join(this.#directory, name), { force: true });
    } catch (error) {
      this.#onProblem(`clearing ${this.#directory}`, error);
    }
  }
}

function publicPart({ hash: _, closesAt: __, ...link }: OpenLink): ShareLink {
  return link;
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

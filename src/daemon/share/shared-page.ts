/**
 * What a share link opens: a file, and nothing else. No cookie, no script, no address of the API. A link that never was, one
 * that expired and one that was revoked get the same answer.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openForReading } from "../../lib/fs/foreign-file.ts";
import { SHARED_PATH } from "../../protocol/share-links.ts";
import { sharedHeaders } from "../http/headers.ts";
import type { ShareLinks } from "./share-links.ts";

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const CHUNK_BYTES = 64 * 1024;

/** No person mistypes links this often. */
const MAX_MISSES = 60;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1000;

export class SharedPage {
  readonly #links: Pick<ShareLinks, "find" | "isOpen">;
  readonly #onProblem: (what: string, error: unknown) => void;
  readonly #uptime: () => number;
  /** By address: when its window began, and wrong secrets since. */
  readonly #misses = new Map<string, { since: number; count: number }>();

  constructor(
    links: Pick<ShareLinks, "find" | "isOpen">,
    onProblem: (what: string, error: unknown) => void,
    uptime: () => number = () => performance.now(),
  ) {
    this.#links = links;
    this.#onProblem = onProblem;
    this.#uptime = uptime;
  }

  answer({ path, method, address }: { path: string; method: string; address: string }): Response {
    const secret = path.slice(SHARED_PATH.length);
    const link = SECRET.test(secret) ? this.#links.find(secret) : undefined;
    if (link === undefined) {
      // Only wrong links: behind a proxy all readers have one address.
      if (this.#isGuessing(address)) return plain(429, "Too many wrong links. Try again in a minute.\n");
      this.#missed(address);
      return missing();
    }
    try {
      const fd = openForReading(link.file);
      const headers = { ...sharedHeaders(), "content-type": "text/html; charset=utf-8", "content-length": sizeOf(fd) };
      if (method === "GET") return new Response(this.#stream(link.id, fd), { headers });
      closeSync(fd);
      return new Response(null, { headers });
    } catch (error) {
      // Without the path of the request, which holds the secret.
      this.#onProblem(`showing the share link ${link.id}`, error);
      return missing();
    }
  }

  #stream(id: string, fd: number): ReadableStream<Uint8Array> {
    const close = (): void => closeSync(fd);
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const chunk = new Uint8Array(CHUNK_BYTES);
          // A link that is revoked while somebody reads ends here.
          const isOpen = this.#links.isOpen(id);
          const length = isOpen ? readSync(fd, chunk) : 0;
          if (length > 0) return controller.enqueue(chunk.subarray(0, length));
          close();
          if (isOpen) controller.close();
          else controller.error(new Error("The share link was closed."));
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    );
  }

  #isGuessing(address: string): boolean {
    const found = this.#misses.get(address);
    return found !== undefined && found.count >= MAX_MISSES && this.#uptime() - found.since < WINDOW_MS;
  }

  #missed(address: string): void {
    const now = this.#uptime();
    const found = this.#misses.get(address);
    this.#misses.delete(address);
    const isOld = found === undefined || now - found.since >= WINDOW_MS;
    this.#misses.set(address, isOld ? { since: now, count: 1 } : { since: found.since, count: found.count + 1 });
    for (const oldest of this.#misses.keys()) {
      if (this.#misses.size <= MAX_ADDRESSES) break;
      this.#misses.delete(oldest);
    }
  }
}

function sizeOf(fd: number): string {
  return String(fstatSync(fd).size);
}

function missing(): Response {
  return plain(
    404,
    "There is nothing at this address. A shared session may have been withdrawn, or its time is over.\n",
  );
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { ...sharedHeaders(), "content-type": "text/plain; charset=utf-8" } });
}

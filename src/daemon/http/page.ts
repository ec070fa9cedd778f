/** The page's files from the build. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { pageHeaders } from "./headers.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

/** Types worth compressing. */
const COMPRESSIBLE = new Set([".html", ".js", ".css", ".json", ".webmanifest", ".svg", ".wasm"]);

/** Files are at the top or in one directory; deeper paths are views inside the page. */
const FILE = /^\/(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Named after their content: such a file never changes. */
const NAMED_BY_CONTENT = /^\/assets\/.+-[A-Za-z0-9_-]{8}\.\w+$/;

interface PageFile {
  /** Identifies this state of the file. */
  version: string;
  content: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer> | undefined;
  tag: string;
}

export class Page {
  readonly #directory: string;
  readonly #files = new Map<string, PageFile>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Paths of views all return the one document; files are found by name. */
  answer(path: string, request: Request): Response {
    const name = FILE.test(path) && TYPES[extname(path)] !== undefined ? path : "/index.html";
    const file = this.#read(name);
    if (file === undefined) return missing();
    const headers: Record<string, string> = {
      ...pageHeaders(),
      "content-type": TYPES[extname(name)]!,
      "cache-control": NAMED_BY_CONTENT.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
      etag: file.tag,
      vary: "accept-encoding",
    };
    if (request.headers.get("if-none-match") === file.tag) return new Response(null, { status: 304, headers });
    const isZipped = file.zipped !== undefined && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    if (!isZipped) return new Response(file.content, { headers });
    return new Response(file.zipped, { headers: { ...headers, "content-encoding": "gzip" } });
  }

  /** Read and compressed once; a new build is noticed. */
  #read(name: string): PageFile | undefined {
    const path = join(this.#directory, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return undefined;
    const version = `${stat.mtimeMs}:${stat.size}`;
    const known = this.#files.get(name);
    if (known?.version === version) return known;
    const content = new Uint8Array(readFileSync(path));
    const zipped = COMPRESSIBLE.has(extname(name)) ? new Uint8Array(gzipSync(content)) : undefined;
    const tag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
    const file = { version, content, zipped, tag };
    this.#files.set(name, file);
    return file;
  }
}

function missing(): Response {
  return new Response("There is no such file.\n", {
    status: 404,
    headers: { "content-type": "text/plain", "cache-control": "no-store", ...pageHeaders() },
  });
}

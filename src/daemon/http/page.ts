/** The page's files, from where the build put them. */
import { readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { pageHeaders } from "./headers.ts";

const TYPES: Record<string, string> = {
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

const NAME = /^\/[A-Za-z0-9._/-]*$/;

/** Addresses inside the page all lead to its one document; files are found by their name. */
export function servePage(directory: string, path: string): Response {
  const type = TYPES[extname(path)];
  const isFile = type !== undefined && NAME.test(path) && normalize(path) === path;
  const file = isFile ? path : "/index.html";
  try {
    const content = new Uint8Array(readFileSync(join(directory, file)));
    return new Response(content, { headers: { "content-type": TYPES[extname(file)]!, ...pageHeaders() } });
  } catch {
    return new Response("There is no such file.\n", {
      status: 404,
      headers: { "content-type": "text/plain", ...pageHeaders() },
    });
  }
}

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { createApp } from "./app.ts";
import { Gate } from "./gate.ts";
import { Page } from "./page.ts";
import { NO_PEERS } from "./testing/test-app.ts";

const home = mkdtempSync(join(tmpdir(), "amux-page-"));
const web = join(home, "web");
afterAll(() => rmSync(home, { recursive: true, force: true }));
mkdirSync(join(web, "assets"), { recursive: true });
writeFileSync(join(home, "auth-token"), "secret");
writeFileSync(join(home, "projects.json"), "secret");
writeFileSync(join(web, "index.html"), "<!doctype html>page");
writeFileSync(join(web, "sw.js"), "worker");
writeFileSync(join(web, ".hidden.js"), "secret");
writeFileSync(join(web, "assets", "main-B1c_D2-e.js"), "code".repeat(100));

const page = new Page(web);
const app = createApp({
  peers: NO_PEERS,
  gate: new Gate("0".repeat(64), ["here"]),
  routes: [],
  version: "",
  onFailure: (error) => {
    throw error;
  },
  page: (path, request) => page.answer(path, request),
  shared: () => new Response(),
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(`http://here${path}`, { headers: { host: "here", ...headers } });
  return Promise.resolve(app.fetch(request, { transport: "tcp" }));
}

describe("the page", () => {
  it.each(["/", "/s/sess-abcd1234", "/t/claude%3Ax.json", "/search?q=a.js", "/login", "/a/b/c.js"])(
    "is one document at %s",
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([200, "<!doctype html>page"]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache");
    },
  );

  it("loads nothing from elsewhere, runs only its own scripts, and cannot be framed", async () => {
    const policy = (await get("/")).headers.get("content-security-policy")!.split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.find((rule) => rule.startsWith("script-src"))).not.toMatch(/unsafe|\*|http/);
  });

  it("caches files named by content forever, and revalidates the rest", async () => {
    const asset = await get("/assets/main-B1c_D2-e.js");
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const worker = await get("/sw.js");
    expect(worker.headers.get("cache-control")).toBe("no-cache");
    const again = await get("/sw.js", { "if-none-match": worker.headers.get("etag")! });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("is compressed for clients that accept it", async () => {
    const response = await get("/assets/main-B1c_D2-e.js", { "accept-encoding": "br, gzip" });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe("code".repeat(100));
  });

  it("changes with a build", async () => {
    writeFileSync(join(web, "sw.js"), "another worker");
    expect(await (await get("/sw.js")).text()).toBe("another worker");
  });

  it.each([
    "/../auth-token",
    "/%2e%2e/auth-token",
    "/..%2fauth-token",
    "/projects.json",
    "/a/../../projects.json",
    "/assets/..%2f..%2fprojects.json",
    "/assets/../../projects.json",
    "/%5c..%5cprojects.json",
    "/assets/%00.js",
    "/.hidden.js",
    "/missing.js",
  ])("has no other files: %s", async (path) => {
    expect(await (await get(path)).text()).not.toContain("secret");
  });

  it("says so when it is not built yet", async () => {
    symlinkSync("/nowhere", join(home, "web2"));
    const response = new Page(join(home, "web2")).answer("/", new Request("http://here/"));
    expect([response.status, await response.text()]).toEqual([404, "There is no such file.\n"]);
  });
});

/** The published examples of runner and daemon, word for word; only ids and paths differ. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Health } from "../../src/protocol/daemon-api.ts";
import { SessionMeta } from "../../src/protocol/runner-api.ts";
import { askRunner } from "../../src/client/runner-http.ts";
import { TestDaemon } from "./support/test-daemon.ts";

const ID = "sess-abc12345";

/** `GET /meta` of a runner. */
const META = {
  id: "sess-abc123",
  created_at: "2026-03-14T10:00:00Z",
  command: ["pi"],
  cwd: "/home/user/dev/gmux",
  kind: "pi",
  alive: true,
  pid: 12345,
  started_at: "2026-03-14T10:00:01Z",
  title: "fix auth bug",
  shell_title: "user@host:~/dev/gmux",
  adapter_title: "fix auth bug",
  status: { label: "thinking", working: true },
  unread: false,
  socket_path: "/tmp/gmux-sessions/sess-abc123.sock",
  binary_hash: "a1b2c3d4e5f6...",
};

/** The same session in `GET /v1/sessions`. */
const SESSION = {
  id: "sess-abc123",
  created_at: "2026-03-14T10:00:00Z",
  command: ["pi"],
  cwd: "/home/user/dev/gmux",
  kind: "pi",
  alive: true,
  pid: 12345,
  started_at: "2026-03-14T10:00:01Z",
  title: "fix auth bug",
  status: { label: "thinking", working: true },
  unread: false,
  socket_path: "/tmp/gmux-sessions/sess-abc123.sock",
  slug: "fix-auth-bug",
  resume_key: "2026-03-14T10-00-00_abc123",
  stale: false,
};

/** A runner that reports exactly the published fields. */
async function publishedRunner(socketPath: string, meta: object): Promise<(event: string, data: unknown) => void> {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === "/meta") return void response.end(JSON.stringify(meta));
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    streams.add(response);
  });
  server.listen(socketPath);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (event, data) => {
    for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
}

describe("the published examples", () => {
  it("of a runner's metadata and the daemon's row", async () => {
    const test = new TestDaemon();
    // The example's conversation, as Pi would start it.
    const store = join(test.userHome, ".pi/agent/sessions/--home-user-dev-gmux--");
    mkdirSync(store, { recursive: true });
    const [at, key] = [META.created_at, SESSION.resume_key];
    const lines = [
      { type: "session", version: 3, id: key, timestamp: at, cwd: META.cwd },
      { type: "message", id: "m1", parentId: null, timestamp: at, message: { role: "user", content: "fix auth bug" } },
    ];
    writeFileSync(join(store, `${key}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await test.start();
    const { runner_hash } = await test.data<Health>("GET", "/v1/health");
    const socket_path = test.shim.files(ID).socket;
    // A pid that is alive, since a dead runner is dropped soon; and today's build.
    const mine = { id: ID, socket_path, pid: process.pid };
    const say = await publishedRunner(socket_path, { ...META, ...mine, binary_hash: runner_hash });
    expect((await test.ask("POST", "/v1/register", { session_id: ID, socket_path })).status).toBe(200);
    say("meta", { slug: SESSION.slug });
    say("report", { state: "working", source: "hook", session: key });
    const row = await test.until(
      "the example",
      ID,
      ({ slug, resume_key }) => slug === SESSION.slug && resume_key === key,
    );
    // Exactly these fields in this order.
    expect(row).toEqual({ ...SESSION, ...mine });
    expect(Object.keys(row)).toEqual(Object.keys(SESSION));
    say("status", null);
    await test.until("no status", ID, ({ status }) => status === null);
    say("status", { label: "", working: true });
    await test.until("work", ID, ({ status }) => status?.working === true && status.label === "");
    say("meta", { shell_title: "x", adapter_title: "" });
    say("terminal_resize", { cols: 120, rows: 40 });
    const resized = await test.until("the size", ID, ({ terminal_cols }) => terminal_cols === 120);
    expect(resized).toMatchObject({ title: "fix auth bug", terminal_rows: 40 });
    say("exit", { exit_code: 0 });
    const dead = await test.until("the end", ID, ({ alive }) => !alive);
    expect(dead).toMatchObject({ exit_code: 0, resumable: true, status: null, resume_key: key });
    expect(dead.command, "what goes on with it").toEqual(["pi", "--session", key]);
    expect(dead).not.toHaveProperty("socket_path");
  });

  it("are what our own runner sends, too", async () => {
    const test = await new TestDaemon().start();
    const id = await test.launch("cat", { name: "fix auth bug" });
    const { socket } = test.shim.files(id);
    const meta = JSON.parse((await askRunner(socket, { method: "GET", path: "/meta" })).body.toString()) as object;
    expect(SessionMeta.parse(meta)).toMatchObject(meta);
    const { runner_hash } = await test.data<Health>("GET", "/v1/health");
    expect(runner_hash, "or nothing could be called outdated").toMatch(/^[0-9a-f]{64}$/);
    expect(meta).toMatchObject({ binary_hash: runner_hash });
    const always = Object.keys(META).filter((field) => !["shell_title", "adapter_title"].includes(field));
    expect(Object.keys(meta)).toEqual(expect.arrayContaining(always));
    const row = (await test.session(id))!;
    const known = Object.keys(SESSION).filter((field) => field !== "resume_key");
    expect(Object.keys(row)).toEqual(expect.arrayContaining(known));
    for (const internal of ["shell_title", "adapter_title", "binary_hash"]) expect(row).not.toHaveProperty(internal);
    const order = Object.keys(row).filter((field) => known.includes(field));
    expect(order).toEqual(known.filter((field) => order.includes(field)));
  });

  it("of a child that reports its status, over the socket and in the terminal", async () => {
    const test = await new TestDaemon().start();
    const curl = `curl -s --unix-socket $GMUX_SOCKET http://localhost/status -X PUT -d '{"label":"thinking","working":true}'`;
    const osc = String.raw`printf '\033]7777;{"label":"waiting","working":false}\033\\'`;
    const id = await test.launch(`${curl}; read x; ${osc}; read x; exit 1`);
    const thinking = await test.until("the first", id, ({ status }) => status !== null);
    expect(thinking.status).toEqual({ label: "thinking", working: true });
    await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\n"));
    const waiting = await test.until("the second", id, ({ status }) => status?.label === "waiting");
    expect(waiting.status).toEqual({ label: "waiting", working: false });
    await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\n"));
    const dead = await test.until("the end", id, ({ alive }) => !alive);
    expect(dead.status).toEqual({ label: "exited (1)", working: false });
  });

  it("of a status with some parts left out", async () => {
    const test = await new TestDaemon().start();
    const id = await test.launch("cat");
    const put = (body: unknown): Promise<{ status: number }> => test.ask("PUT", `/v1/sessions/${id}/status`, body);
    expect((await put({ working: true })).status).toBe(200);
    await test.until("work", id, ({ status }) => status?.working === true);
    expect((await put({ label: "tests: 3 failed" })).status).toBe(200);
    const failed = await test.until("the label", id, ({ status }) => status?.label === "tests: 3 failed");
    expect(failed.status).toEqual({ label: "tests: 3 failed", working: false });
    expect((await put(null)).status).toBe(200);
    await test.until("nothing", id, ({ status }) => status === null);
  });
});

/** The example needs a curl with Unix sockets; all of the last ten years have them. */
execFileSync("curl", ["--version"], { stdio: "ignore" });

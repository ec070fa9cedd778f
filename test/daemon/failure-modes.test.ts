/** Known attacks on tools like this one that need a daemon. README.md beside this file lists where each is tested. */
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { ReadNotes } from "../../src/agents/read-notes.ts";
import { AgentRegistry } from "../../src/agents/registry.ts";
import type { PeerStatus } from "../../src/protocol/peers.ts";
import { completeLines } from "../support/complete-lines.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine } from "./support/agent-machine.ts";
import { untilPeer } from "./support/linked.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";
import { TestDaemon } from "./support/test-daemon.ts";
import { needsRoot } from "../support/needs.ts";

const NOBODY = 65_534;

describe("directories that another user created first", () => {
  it("are not used when they belong to another user", needsRoot, async () => {
    for (const place of ["home", "sockets"] as const) {
      const test = new TestDaemon();
      const directory = place === "home" ? test.home : join(test.home, "sockets");
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      chownSync(directory, NOBODY, NOBODY);
      await expect(test.start(), place).rejects.toThrow("belongs to another user");
    }
  });

  it("are closed to others, not written to through a link, and created again when they vanish", async () => {
    const test = new TestDaemon();
    mkdirSync(join(test.home, "sockets"), { recursive: true });
    for (const path of [test.home, join(test.home, "sockets")]) chmodSync(path, 0o777);
    const prize = join(test.root, "prize");
    writeFileSync(prize, "untouched", { mode: 0o600 });
    for (const link of [test.files.socket, `${test.files.lock}.take-over`]) symlinkSync(prize, link);
    await test.start();
    const first = await test.launch("cat");
    expect((await test.session(first))?.alive).toBe(true);
    expect(readFileSync(prize, "utf8")).toBe("untouched");
    const modes = [test.home, join(test.home, "sockets")].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes, "whatever they were before").toEqual(["700", "700"]);

    // They vanish, like a runtime directory at logout. Renamed first: a removed socket comes back at once while its directory exists.
    renameSync(join(test.home, "sockets"), join(test.home, "removed"));
    rmSync(join(test.home, "removed"), { recursive: true });
    const second = await test.launch("cat");
    expect((await test.session(second))?.alive).toBe(true);
    // Its process runs; being unreachable does not make it ended.
    expect((await test.session(first))?.alive).toBe(true);
    process.kill((await test.session(first))!.pid!, "SIGKILL");
  });

  it("with a lock that a crash left empty do not keep the daemon from starting", async () => {
    const test = new TestDaemon();
    mkdirSync(test.home, { mode: 0o700 });
    writeFileSync(test.files.lock, "", { mode: 0o600 });
    await test.start();
    expect((await test.ask("GET", "/v1/health")).status).toBe(200);
  });
});

/** Tells anyone with a token whatever the test wants. */
async function lyingPeer(rows: readonly object[], more: readonly [event: string, data: unknown][]): Promise<string> {
  const health = { service: "amuxd", version: "1", pid: 1, started_at: "2026-01-01T00:00:00Z", hostname: "box" };
  const write = (response: ServerResponse, event: string, data: unknown): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/events") !== true) {
      return void response.end(JSON.stringify({ ok: true, data: health }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    write(response, "sync-begin", {});
    for (const session of rows) {
      write(response, "session-upsert", { type: "session-upsert", id: (session as { id?: string }).id, session });
    }
    for (const [event, data] of more) write(response, event, data);
    write(response, "sync-end", {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("another machine", () => {
  const sshLog = (test: TestDaemon): string => join(test.root, "ssh.log");
  const shared = sharedDaemon((test) => {
    const bin = join(test.root, "bin");
    mkdirSync(bin);
    // Refuses the tunnel at the end, so that all three calls of it are seen.
    const program = [
      `#!${process.execPath}`,
      "const words = process.argv.slice(2);",
      `require("node:fs").appendFileSync(${JSON.stringify(sshLog(test))}, JSON.stringify(words) + "\\n");`,
      'if (words.includes("-N")) process.exit(255);',
      'console.log(words.includes("-G") ? "stricthostkeychecking ask" : "/far/amuxd.sock");',
    ];
    writeFileSync(join(bin, "ssh"), program.join("\n"), { mode: 0o755 });
    test.vars["PATH"] = `${bin}:${test.vars["PATH"]}`;
  });
  afterEach(async () => {
    for (const { name } of await shared().data<PeerStatus[]>("GET", "/v1/peers"))
      await shared().data("DELETE", `/v1/peers/${name}`);
  });

  const good = {
    id: "sess-good0001",
    created_at: "2026-01-01T00:00:00Z",
    command: ["sh"],
    cwd: "/w",
    kind: "shell",
    alive: true,
    title: "hello\u001b]0;x\u0007 <b>",
    status: null,
    unread: false,
    slug: "good",
    stale: false,
  };

  it("that lies adds its own sessions in their proper form, and nothing else", async () => {
    const hub = shared();
    const own = await hub.launch("cat");
    const rows = [
      { ...good, id: "sess-thrd0001@third" },
      { ...good, id: own },
      { ...good, id: "../../etc" },
      { ...good, id: "sess-kind0001", kind: "../x" },
      { ...good, id: "sess-slug0001", slug: "a/b" },
      { ...good, id: "sess-time0001", created_at: "tomorrow" },
      { ...good, id: "sess-many0001", command: Array.from({ length: 5000 }, () => "x") },
      { ...good, id: "sess-type0001", title: 7 },
      good,
    ];
    const url = await lyingPeer(rows, [
      ["session-remove", { type: "session-remove", id: own }],
      ["session-remove", { type: "session-remove", id: `${own}@box` }],
      ["session-activity", { type: "session-activity", id: "../../x" }],
      ["projects-update", { items: [], pins: [own] }],
      ["something-new", { anything: true }],
    ]);
    await hub.data("POST", "/v1/peers", { name: "box", url, token: "0".repeat(64) });
    // Behind everything that it sends.
    await untilPeer(hub, "box", ({ state }) => state === "connected");
    const row = (await hub.session("sess-good0001@box"))!;
    expect(row.title).toBe("hello]0;x <b>");
    const shown = (await hub.sessions()).map(({ id }) => id).sort();
    // A row with one of our ids stays separate, marked by the peer's name.
    expect(shown.filter((id) => id !== `${own}@box`)).toEqual([own, "sess-good0001@box"].sort());
    expect(await hub.session(own)).toMatchObject({ alive: true, cwd: hub.userHome });
    expect((await hub.data<{ pins: string[] }>("GET", "/v1/projects")).pins).toEqual([]);
  });

  it("that sends an oversized row is cut off, and nothing of it is kept", async () => {
    const hub = shared();
    const url = await lyingPeer([{ ...good, title: "x".repeat(1024 * 1024) }], []);
    await hub.data("POST", "/v1/peers", { name: "box", url, token: "0".repeat(64) });
    await waitFor("its end", async () =>
      (await hub.data<PeerStatus[]>("GET", "/v1/peers")).some(({ state }) => state === "unreachable"),
    );
    expect((await hub.sessions()).filter(({ id }) => id.endsWith("@box"))).toEqual([]);
  });

  it("whose name a shell or ssh could take for more is refused", async () => {
    const test = shared();
    for (const url of [
      "ssh://-oProxyCommand=touch${IFS}x",
      "ssh://box;touch x",
      "ssh://$(touch x)",
      "ssh://`id`@box",
      "ssh://box\nHost *",
      "ssh://me@-oX@box",
      "ssh://box/tmp/a:b.sock",
      "ssh://box/tmp/$(id).sock",
      "ssh://box:22:33",
      "ssh://",
    ]) {
      expect((await test.ask("POST", "/v1/peers", { name: "box", url })).error?.code, url).toBe("bad_request");
    }
    expect(await test.data("GET", "/v1/peers")).toEqual([]);
  });

  it("reaches ssh as words, the host after the end of all options, and the remote shell as a constant", async () => {
    const test = shared();
    const log = sshLog(test);
    await test.data("POST", "/v1/peers", { name: "box", url: "ssh://me@some.host:2222" });
    await waitFor("the tunnel", () => completeLines(log).some((line) => line.includes('"-N"')));
    await waitFor("the refusal", async () =>
      (await test.data<PeerStatus[]>("GET", "/v1/peers")).some(({ state }) => state === "unreachable"),
    );
    for (const line of completeLines(log)) {
      const words = JSON.parse(line) as string[];
      const end = words.indexOf("--");
      expect(words[end + 1], JSON.stringify(words)).toBe("some.host");
      // What follows the host runs in the remote shell.
      for (const word of words.slice(end + 2)) expect(word).not.toMatch(/some\.host|box|me@|2222/);
      expect(words.slice(0, end).join(" ")).not.toContain("StrictHostKeyChecking=no");
    }
  });
});

describe("flags that disable permission questions", () => {
  const DANGEROUS = /danger|yolo|skip|bypass|full-auto|trust-all|force|allow-all/i;

  it("are part of no command that amux creates by itself", async () => {
    const registry = new AgentRegistry();
    let commands = 0;
    for (const name of registry.names()) {
      const { command, launch, history } = await registry.get(name);
      const home = join(import.meta.dirname, "../../src/agents", name, "fixtures/home");
      const sources = history?.listSessions({ home, platform: process.platform, vars: {} }, new ReadNotes()) ?? [];
      const made = sources.flatMap((source) => [
        launch?.resume?.(source.sessionId, source) ?? [],
        launch?.fork?.(source.sessionId, source) ?? [],
      ]);
      commands += made.length;
      expect(
        [command, ...made.flat()].filter((word) => DANGEROUS.test(word)),
        name,
      ).toEqual([]);
    }
    expect(commands).toBeGreaterThan(50);
  });

  it("are dropped when a session is resumed", async () => {
    const test = await new AgentMachine({ FAKE_HOOKS: "1" }).start();
    const request = { agent: "claude", args: ["--dangerously-skip-permissions"], cwd: test.project("shop") };
    const { session_id: id } = await test.data<{ session_id: string }>("POST", "/v1/launch", request);
    const key = await test.prompt(id, "hello");
    await test.until("its key", id, ({ resume_key }) => resume_key === key);
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    expect((await test.session(id))?.command).toEqual(["claude", "--resume", key]);
    await test.data("POST", `/v1/sessions/${id}/resume`);
    expect((await test.session(id))?.command.filter((word) => DANGEROUS.test(word))).toEqual([]);
    await test.data("POST", `/v1/sessions/${id}/restart`);
    expect((await test.session(id))?.command.filter((word) => DANGEROUS.test(word))).toEqual([]);
  });
});

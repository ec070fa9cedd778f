import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { waitFor } from "../support/wait-for.ts";
import { Consumer } from "./support/consumer.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";
import type { TestDaemon } from "./support/test-daemon.ts";

type Headers = Record<string, string>;

class Viewer {
  readonly socket: WebSocket;
  readonly controls: Record<string, unknown>[] = [];
  output = "";
  bytes = 0;

  constructor(
    test: TestDaemon,
    path: string,
    headers: Headers = { authorization: `Bearer ${test.token}` },
    options: ClientOptions = {},
  ) {
    this.socket = new WebSocket(`ws://127.0.0.1:${test.port}${path}`, { headers, ...options });
    onTestFinished(() => this.socket.terminate());
    this.socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return void this.controls.push(JSON.parse(data.toString("utf8")) as Record<string, unknown>);
      this.bytes += data.length;
      this.output = (this.output + data.toString("utf8")).slice(-100_000);
    });
    // A refusal is an answer, which the test checks.
    this.socket.on("error", () => undefined);
  }

  async see(text: string): Promise<void> {
    await waitFor(`"${text}" in the terminal`, () => this.output.includes(text));
  }
}

/** The status with which an upgrade is answered. */
function upgrade(test: TestDaemon, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: test.port,
      path,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
    outgoing.once("upgrade", (_, socket) => {
      socket.destroy();
      resolve(101);
    });
    outgoing.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}

const shared = sharedDaemon();

describe("a terminal through the daemon", () => {
  it("begins with the screen, and works both ways", async () => {
    const test = shared();
    const id = await test.launch("echo before you came; cat");
    await waitFor("its words", async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("before"));
    const viewer = new Viewer(test, `/ws/${id}`);
    await viewer.see("before you came");
    viewer.socket.send("grüße ✓\n");
    await viewer.see("grüße ✓");
    viewer.socket.send(JSON.stringify({ type: "resize", cols: 101, rows: 31 }));
    await test.until(
      "the size",
      id,
      ({ terminal_cols, terminal_rows }) => terminal_cols === 101 && terminal_rows === 31,
    );
    viewer.socket.send(Buffer.from("\u0004"));
    await waitFor("the end", () => viewer.controls.some(({ type }) => type === "exit"));
    if (viewer.socket.readyState !== WebSocket.CLOSED) await once(viewer.socket, "close");
    expect(viewer.controls.at(-1)).toEqual({ type: "exit", exit_code: 0 });
  });

  it("is not compressed, whatever a browser offers, and arrives complete however large", async () => {
    const test = shared();
    const id = await test.launch("seq -f '%0200.0f' 1 9000; echo written; exec cat", { cols: 210 });
    await waitFor("its words", async () => (await test.ask("GET", `/v1/sessions/${id}/text`)).text.includes("written"));
    const viewer = new Viewer(test, `/ws/${id}?history=10000`, undefined, { perMessageDeflate: true });
    await once(viewer.socket, "open");
    expect(viewer.socket.extensions).toBe("");
    await viewer.see("written");
    expect(viewer.bytes).toBeGreaterThan(1_700_000);
    viewer.socket.send("and on it goes\n");
    await viewer.see("and on it goes");
  });

  it("can have several viewers", async () => {
    const test = shared();
    const id = await test.launch("cat");
    const viewers = Array.from({ length: 3 }, () => new Viewer(test, `/ws/${id}`));
    await Promise.all(viewers.map(({ socket }) => once(socket, "open")));
    viewers[0]!.socket.send("for everyone\n");
    await Promise.all(viewers.map((viewer) => viewer.see("for everyone")));
  });

  it("does not wait for a viewer that does not read, nor keep its output", async () => {
    const test = shared();
    const id = await test.launch(
      "read x; i=0; while [ $i -lt 30 ]; do head -c 1000000 /dev/zero | tr '\\0' y; i=$((i+1)); done; echo; echo finished; cat",
    );
    const slow = new Viewer(test, `/ws/${id}`);
    const quick = new Viewer(test, `/ws/${id}`);
    await Promise.all([once(slow.socket, "open"), once(quick.socket, "open")]);
    slow.socket.pause();
    quick.socket.send("\n");
    await quick.see("finished");
    const memory = Number(
      /VmRSS:\s+(\d+)/.exec((await import("node:fs")).readFileSync(`/proc/${test.pid}/status`, "utf8"))?.[1],
    );
    expect(memory, "KB held by the daemon after 30 MB").toBeLessThan(200_000);
    slow.socket.resume();
    await slow.see("finished");
    expect(slow.bytes).toBeLessThan(20_000_000);
  });

  it("is not opened by a page of another site, with a wrong token, or under a wrong host", async () => {
    const test = shared();
    const id = await test.launch("cat");
    const own = `http://127.0.0.1:${test.port}`;
    const login = await fetch(`${own}/auth/login`, {
      method: "POST",
      body: JSON.stringify({ token: test.token }),
      headers: { "content-type": "application/json", origin: own },
    });
    const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
    const path = `/ws/${id}`;
    const bearer = { authorization: `Bearer ${test.token}` };
    expect(await upgrade(test, path, {})).toBe(401);
    expect(await upgrade(test, path, { authorization: "Bearer x" })).toBe(401);
    expect(await upgrade(test, path, { cookie })).toBe(403);
    expect(await upgrade(test, path, { cookie, origin: "http://evil.example" })).toBe(403);
    expect(await upgrade(test, path, { cookie, origin: "null" })).toBe(403);
    expect(await upgrade(test, path, { cookie, origin: `http://127.0.0.1:${test.port + 1}` })).toBe(403);
    expect(await upgrade(test, path, { cookie, origin: own, "sec-fetch-site": "same-site" })).toBe(403);
    expect(await upgrade(test, path, { ...bearer, host: "evil.example" })).toBe(403);
    expect(await upgrade(test, path, { cookie, origin: own })).toBe(101);
    expect(await upgrade(test, path, bearer)).toBe(101);
    for (const odd of ["/ws/..%2f..%2fx", "/ws/", "/ws/sess-ABCD1234", "/ws/sess-00000000/x", "/v1/sessions"]) {
      expect([400, 404], odd).toContain(await upgrade(test, odd, bearer));
    }
    expect(await upgrade(test, "/ws/sess-00000000", bearer)).toBe(404);
    expect(await upgrade(test, path, { ...bearer, "sec-websocket-key": "" })).toBe(400);
    await test.ask("POST", `/v1/sessions/${id}/kill`);
    expect(await upgrade(test, path, bearer)).toBe(409);
  });
});

describe("the port", () => {
  it("answers nothing without the token", async () => {
    const test = shared();
    const base = `http://127.0.0.1:${test.port}`;
    for (const path of ["/v1/health", "/v1/sessions", "/v1/events", "/v1/openapi.json", "/v1/history"]) {
      expect((await fetch(base + path)).status, path).toBe(401);
      expect((await fetch(`${base}${path}?token=${test.token}`)).status, "not in the URL").toBe(401);
    }
    expect((await fetch(`${base}/v1/health`, { headers: { authorization: `Bearer ${test.token}` } })).status).toBe(200);
  });

  it("sends events to a browser that stays", async () => {
    const test = shared();
    for (const { id } of await test.sessions()) await test.data("POST", `/v1/sessions/${id}/dismiss`);
    // With these, only the last event leaves one session: before that, silence is a pause.
    const others = [await test.launch("cat"), await test.launch("cat")];
    const response = await fetch(`http://127.0.0.1:${test.port}/v1/events`, {
      headers: { authorization: `Bearer ${test.token}` },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const consumer = new Consumer(response.body!);
    const gone = await test.launch("exit 0");
    const stays = await test.launch("sleep 1000");
    await test.until("the end", gone, ({ alive }) => !alive);
    for (const id of [gone, ...others]) await test.data("POST", `/v1/sessions/${id}/dismiss`);
    expect(await consumer.picture(1)).toEqual(await test.sessions());
    expect([...consumer.sessions.keys()]).toEqual([stays]);
    await consumer.leave();
  });
});

/** The last one: it ends the daemon. */
it("a terminal that somebody watches does not keep the daemon from ending", async () => {
  const test = shared();
  const viewer = new Viewer(test, `/ws/${await test.launch("echo ready; exec cat")}`);
  await viewer.see("ready");
  await test.kill("SIGTERM");
  expect(test.child?.exitCode).toBe(0);
});

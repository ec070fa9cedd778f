/** Whatever a runner reports, the daemon stays up and lists only what is credible. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../support/wait-for.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";
import { TestDaemon } from "./support/test-daemon.ts";

const ID = "sess-abc12345";

const META = {
  id: ID,
  created_at: "2026-03-14T10:00:00Z",
  command: ["pi"],
  cwd: "/home/user",
  kind: "pi",
  alive: true,
  pid: process.pid,
  started_at: "2026-03-14T10:00:01Z",
  title: "t",
  status: null,
  unread: false,
  socket_path: "",
};

interface Liar {
  /** Hangs up on every connection from now on. */
  hangUp(): void;
  say(event: string, data: string): void;
  /** How often something connected. */
  visits: number;
}

async function liar(test: TestDaemon, meta: string | undefined): Promise<Liar> {
  const streams = new Set<ServerResponse>();
  let hangsUp = false;
  const hangUp = (): void => {
    hangsUp = true;
    for (const stream of streams) stream.end();
  };
  const result: Liar = {
    visits: 0,
    hangUp,
    say: (event, data) => {
      for (const stream of streams) stream.write(`event: ${event}\ndata: ${data}\n\n`);
    },
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/meta") {
      if (meta === undefined) response.destroy();
      else response.end(meta);
      // It was accepted once; now it hangs up right after its state.
      if (hangsUp) hangUp();
      return;
    }
    result.visits++;
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    streams.add(response);
    response.once("close", () => streams.delete(response));
  });
  server.listen(test.shim.files(ID).socket);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return result;
}

describe("a runner that lies", () => {
  const shared = sharedDaemon();

  it.each<[string, string | undefined]>([
    ["with no JSON", "{nothing"],
    ["with another session's id", JSON.stringify({ ...META, id: "sess-other123" })],
    ["with fields of other types", JSON.stringify({ ...META, title: 7, command: "rm -rf /" })],
    ["with an account that never ends", JSON.stringify({ ...META, title: "x".repeat(8 * 1024 * 1024) })],
    ["by hanging up", undefined],
  ])("%s is not believed", async (_, meta) => {
    const test = shared();
    await liar(test, meta);
    expect(await test.ask("POST", "/v1/register", { session_id: ID })).toMatchObject({
      status: 502,
      error: { code: "runner_unreachable" },
    });
    expect(await test.session(ID)).toBeUndefined();
    const other = await test.launch("cat");
    expect((await test.session(other))?.alive, "others are served as ever").toBe(true);
  });

  it("in its events is ignored, and heard again when it sends valid ones", async () => {
    const test = await new TestDaemon().start();
    const runner = await liar(test, JSON.stringify(META));
    expect((await test.ask("POST", "/v1/register", { session_id: ID })).status).toBe(200);
    for (const event of ["meta", "status", "exit", "terminal_resize", "report", "hook", "state", "activity", "new"]) {
      for (const data of ["{no", "null", "7", '"x"', "[]", "{}"]) {
        // An exit event with an object is valid.
        if (event === "exit" && data === "{}") continue;
        runner.say(event, data);
      }
    }
    runner.say(
      "meta",
      '{"shell_title":7,"adapter_title":{},"slug":[],"unread":"yes","unread_token":"x","subtitle":null}',
    );
    runner.say("report", '{"session":7,"state":[],"source":null,"at":{}}');
    runner.say("terminal_resize", '{"cols":"wide","rows":-1}');
    runner.say("meta", '{"shell_title":"a word of truth"}');
    const row = await test.until("the truth", ID, ({ title }) => title === "a word of truth");
    expect(row).toMatchObject({ alive: true, unread: false, cwd: META.cwd });
    expect(runner.visits).toBe(1);
  });

  it("and has no directory leaves a row when it ends, until that is dismissed", async () => {
    const test = await new TestDaemon().start();
    const runner = await liar(test, JSON.stringify(META));
    await test.ask("POST", "/v1/register", { session_id: ID });
    runner.say("exit", '{"exit_code":0}');
    await test.until("its end", ID, ({ alive }) => !alive);
    // A new session directory makes the daemon scan the disk again.
    const other = await test.launch("exit 0");
    await test.until("the other's end", other, ({ alive }) => !alive);
    await test.ask("POST", `/v1/sessions/${other}/dismiss`);
    await waitFor("the other to go", async () => (await test.session(other)) === undefined);
    expect(await test.session(ID)).toMatchObject({ alive: false, resumable: true, exit_code: 0 });
    await test.ask("POST", `/v1/sessions/${ID}/dismiss`);
    expect(await test.session(ID)).toBeUndefined();
  });

  it("by disconnecting everyone does not keep the daemon busy", async () => {
    const test = await new TestDaemon().start();
    const runner = await liar(test, JSON.stringify(META));
    expect((await test.ask("POST", "/v1/register", { session_id: ID })).status).toBe(200);
    runner.hangUp();
    // Two scans of the sockets.
    await waitFor("another visit", () => runner.visits >= 3);
    expect(runner.visits).toBe(3);
    expect(await test.session(ID), "its process lives: that it talks to nobody proves nothing").toMatchObject({
      alive: true,
    });
  });
});

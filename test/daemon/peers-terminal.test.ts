/** Terminals of other machines' sessions, in a browser and in a terminal here. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openRemoteConnection } from "../../src/client/remote-shim.ts";
import type { ShimEvent } from "../../src/client/shim-connection.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { waitFor } from "../support/wait-for.ts";
import { hasSshServer, SshServer } from "./support/ssh-server.ts";
import { TestDaemon } from "./support/test-daemon.ts";
import { watchTerminal } from "./support/watch-terminal.ts";

const DETACH = "\x02d";

interface Pair {
  hub: TestDaemon;
  spoke: TestDaemon;
}

/** Two machines for all tests of a group; each test has its own session. */
function linkedPair(way: "http" | "ssh"): () => Pair {
  let both: Pair | undefined;
  const cleanups: (() => void | Promise<void>)[] = [];
  const atEnd = (clean: () => void | Promise<void>): unknown => cleanups.unshift(clean);
  beforeAll(async () => {
    const vars = way === "ssh" ? (await new SshServer(atEnd).start()).client({ knowsHost: true }) : {};
    const [hub, spoke] = [new TestDaemon(vars, atEnd), new TestDaemon({}, atEnd)];
    await Promise.all([hub.start(), spoke.start()]);
    const url = way === "ssh" ? `ssh://box${spoke.files.socket}` : `http://127.0.0.1:${spoke.port}`;
    await hub.data("POST", "/v1/peers", { name: "box", url, ...(way === "ssh" ? {} : { token: spoke.token }) });
    both = { hub, spoke };
  });
  afterAll(async () => {
    for (const clean of cleanups) await clean();
  });
  return () => both!;
}

const WAYS = hasSshServer() ? (["http", "ssh"] as const) : (["http"] as const);

describe.each(WAYS)("a terminal over %s", (way) => {
  const pair = linkedPair(way);

  it("works in a browser like a local one", async () => {
    const { hub, spoke } = pair();
    expect(await watchTerminal(hub, spoke, "box")).toMatch(/@box$/);
  });

  it("can be attached with the frames a runner uses", async () => {
    const { hub, spoke } = pair();
    const id = `${await spoke.launch("read x; echo got $x; exit 7")}@box`;
    await hub.until("the row", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    const connection = await openRemoteConnection(hub.files.socket, id);
    onTestFinished(() => connection.close());
    const events: ShimEvent[] = [];
    connection.subscribe((event) => events.push(event));
    connection.send({ _tag: "attach", ptyId: "pty-1" });
    connection.input("pty-1", Buffer.from("it\r"));
    await waitFor("its end", () => events.some((event) => event._tag === "exit" && event.exitCode === 7));
    await expect(openRemoteConnection(hub.files.socket, "sess-00000000@box")).rejects.toThrow(
      "There is no such session",
    );
    // Until the end is known here, the terminal is requested from the peer and refused.
    await hub.until("its end here", id, ({ alive }) => !alive);
    await expect(openRemoteConnection(hub.files.socket, id)).rejects.toThrow("not running");
  });

  if (way !== "http") return;

  it("is shown by amux attach, which leaves it running and has its exit code", async () => {
    const { hub, spoke } = pair();
    const id = `${await spoke.launch("echo hello from there; read x; echo got $x; exit 6")}@box`;
    await hub.until("the row", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    const first = new CliTerminal(["attach", id], hub.home);
    await first.sees("hello from there");
    first.type(DETACH);
    expect(await first.ended()).toBe(0);
    const second = new CliTerminal(["attach", id.replace("sess-", "")], hub.home);
    await second.sees("hello from there");
    second.type("word\r");
    await second.sees("got word");
    expect(await second.ended()).toBe(6);
    await spoke.kill("SIGKILL");
    await hub.until("the mark", id, ({ unreachable }) => unreachable === true);
    const third = new CliTerminal(["kill", id], hub.home);
    await third.sees("box cannot be reached");
    expect(await third.ended()).not.toBe(0);
  });
});

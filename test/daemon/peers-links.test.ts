/** Links that are cut, slow, half closed and restored; machines that stop and continue; many of them. */
import { describe, expect, it } from "vitest";
import { SseParser, type SseEvent } from "../../src/client/sse.ts";
import { requestTo } from "../../src/client/endpoint.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine } from "./support/agent-machine.ts";
import { LinkProxy } from "./support/link-proxy.ts";
import { link, untilPeer } from "./support/linked.ts";
import { freePort } from "../../scripts/free-port.mjs";
import { TestDaemon } from "./support/test-daemon.ts";
import { isLong } from "../torture/long-form.ts";

/** Ten in the long form (`npm run torture`). */
const MACHINES = isLong ? 10 : 2;
const SESSIONS = 50;

/** The first events of a daemon, until it is in sync. */
function beginning(daemon: TestDaemon): Promise<SseEvent[]> {
  return new Promise((resolve, reject) => {
    const events: SseEvent[] = [];
    const parser = new SseParser();
    const outgoing = requestTo({ socketPath: daemon.files.socket }, { path: "/v1/events" });
    outgoing.once("error", reject);
    outgoing.once("response", (response) => {
      response.setEncoding("utf8").on("data", (text: string) => {
        for (const event of parser.push(text)) {
          events.push(event);
          if (event.event !== "sync-end") continue;
          outgoing.destroy();
          resolve(events);
        }
      });
    });
    outgoing.end();
  });
}

/** The number of the daemon's last event. */
async function position(daemon: TestDaemon): Promise<number> {
  const id = (await beginning(daemon)).at(-1)?.id ?? "";
  return Number(id.slice(id.indexOf("-") + 1));
}

/** The positions after these names of a session of the first went round twice: links keep the order, so echoes came before. */
async function positions(
  daemons: readonly TestDaemon[],
  marker: string,
  ...names: [string, string]
): Promise<number[]> {
  const [first, ...others] = daemons;
  for (const title of names) {
    await first!.data("PUT", `/v1/sessions/${marker}/title`, { title });
    const isThere = ({ title: shown }: { title: string }): boolean => shown === title;
    await Promise.all(others.map((daemon) => daemon.until(title, `${marker}@m0`, isThere)));
  }
  return Promise.all(daemons.map(position));
}

describe("a link over a bad network", () => {
  it("survives cuts, half-closed connections, slowness and machines that stop, and misses nothing", async () => {
    const hub = new TestDaemon();
    const spoke = new TestDaemon();
    spoke.port = await freePort();
    const wire = await new LinkProxy(spoke.port).start();
    // The daemon answers only to hosts it knows; the proxy has another port.
    spoke.vars["AMUX_HOSTS"] = `127.0.0.1:${wire.port}`;
    await Promise.all([hub.start(), spoke.start()]);
    await link(hub, "box", spoke, wire.port);
    const [ends, stays] = [await spoke.launch("read x; exit 3"), await spoke.launch("cat")];
    await hub.until("a row", `${stays}@box`, ({ alive }) => alive);

    wire.cut();
    await hub.until("the mark", `${stays}@box`, ({ unreachable }) => unreachable === true);
    expect((await hub.ask("POST", `/v1/sessions/${stays}@box/kill`)).error?.code).toBe("peer_unreachable");
    await spoke.ask("POST", `/v1/sessions/${ends}/input`, Buffer.from("\n"));
    await spoke.until("its end", ends, ({ alive }) => !alive);
    const meanwhile = await spoke.launch("cat");
    wire.mend();
    await hub.until("the end that was missed", `${ends}@box`, ({ alive, exit_code }) => !alive && exit_code === 3);
    await hub.until("the start that was missed", `${meanwhile}@box`, ({ alive }) => alive);
    // Rows are marked until all of them have come.
    await hub.until("its return", `${stays}@box`, ({ unreachable }) => unreachable === undefined);

    // It may be connected again before anybody looks.
    const { since } = await untilPeer(hub, "box", ({ state }) => state === "connected");
    wire.halfClose();
    await untilPeer(hub, "box", (status) => status.state === "connected" && status.since !== since);

    wire.slow(150);
    const slow = await hub.data<{ session_id: string }>("POST", "/v1/launch", {
      peer: "box",
      command: ["sh", "-c", "echo slowly; read x"],
    });
    await waitFor("its screen", async () =>
      (await hub.ask("GET", `/v1/sessions/${slow.session_id}/text`)).text.includes("slowly"),
    );
    await hub.data("POST", `/v1/sessions/${slow.session_id}/kill`);
    await hub.until("its end", slow.session_id, ({ alive }) => !alive);

    // A machine that stops and continues, on either side.
    wire.slow(0);
    const id = await spoke.launch("read x; exit 4");
    await hub.until("the row", `${id}@box`, ({ alive }) => alive);
    spoke.child!.kill("SIGSTOP");
    // Only the request to the stopped machine waits.
    const waiting = hub.ask("POST", `/v1/sessions/${id}@box/read`);
    const own = await hub.launch("cat");
    expect((await hub.sessions()).map((session) => session.id)).toEqual(expect.arrayContaining([own, `${id}@box`]));
    spoke.child!.kill("SIGCONT");
    expect((await waiting).status).toBe(200);

    hub.child!.kill("SIGSTOP");
    await spoke.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("\n"));
    await spoke.until("its end", id, ({ alive }) => !alive);
    hub.child!.kill("SIGCONT");
    await hub.until("the end it slept through", `${id}@box`, ({ alive, exit_code }) => !alive && exit_code === 4);
  });
});

describe("several machines", () => {
  it("that all know each other settle, and send each change once", async () => {
    const daemons = [new TestDaemon(), new TestDaemon(), new TestDaemon()];
    await Promise.all(daemons.map((daemon) => daemon.start()));
    for (const [from, one] of daemons.entries()) {
      for (const [to, other] of daemons.entries()) if (from !== to) await link(one, `m${to}`, other);
    }
    const [id, marker] = [await daemons[0]!.launch("cat"), await daemons[0]!.launch("cat")];
    await Promise.all(
      [id, marker].flatMap((row) =>
        daemons.slice(1).map((daemon) => daemon.until("the row", `${row}@m0`, ({ alive }) => alive)),
      ),
    );
    const before = await positions(daemons, marker, "one", "two");
    for (const daemon of daemons) {
      const rows = (await daemon.sessions()).map((session) => session.id.replace("@m0", ""));
      expect(rows.toSorted()).toEqual([id, marker].toSorted());
    }
    await daemons[0]!.data("PUT", `/v1/sessions/${id}/status`, { label: "broken", working: false, error: true });
    await Promise.all(
      daemons.slice(1).map((daemon) => daemon.until("the status", `${id}@m0`, ({ status }) => status?.error === true)),
    );
    const after = await positions(daemons, marker, "three", "four");
    // The row and its attention item; on its own machine also the shared attention list. The marker's two names are no part of it.
    const told = after.map((value, index) => value - before[index]! - 2);
    expect(told[0]).toBeLessThanOrEqual(4);
    for (const number of told.slice(1)) expect(number).toBeLessThanOrEqual(3);
  });

  it("with fifty sessions each are shown, searched and lost one by one", async () => {
    const hub = new AgentMachine();
    const spokes = Array.from({ length: MACHINES }, () => new AgentMachine());
    for (const [index, spoke] of spokes.entries()) {
      const cwd = spoke.project("work");
      for (let number = 0; number < SESSIONS; number++)
        spoke.old(1000 * (index + 1) + number, `Task ${number} copper`, cwd);
    }
    await hub.start();
    // Two at a time: each start is a second of CPU work.
    for (let at = 0; at < spokes.length; at += 2) {
      await Promise.all(spokes.slice(at, at + 2).map((spoke) => spoke.start()));
    }
    await Promise.all(spokes.map((spoke, index) => link(hub, `m${index}`, spoke)));
    const shown = await waitFor("all rows", async () => {
      const rows = await hub.sessions();
      return rows.length === MACHINES * SESSIONS ? rows : undefined;
    });
    expect(new Set(shown.map(({ peer }) => peer)).size).toBe(MACHINES);
    expect(shown.every(({ unreachable }) => unreachable === undefined)).toBe(true);
    const found = await hub.data<{ partial: boolean; hits: { machines: string[] }[] }>(
      "GET",
      "/v1/fleet/search?q=copper&limit=1000",
    );
    expect([found.partial, found.hits.length]).toEqual([false, MACHINES * SESSIONS]);
    await spokes[1]!.kill("SIGKILL");
    await untilPeer(hub, "m1", ({ state }) => state === "unreachable");
    const rows = await hub.sessions();
    expect(rows.filter(({ unreachable }) => unreachable === true).map(({ peer }) => peer)).toEqual(
      Array.from({ length: SESSIONS }, () => "m1"),
    );
    const part = await hub.data<{ partial: boolean; hits: unknown[] }>("GET", "/v1/fleet/search?q=copper&limit=1000");
    expect([part.partial, part.hits.length]).toEqual([true, (MACHINES - 1) * SESSIONS]);
  });
});

/** Links to daemons of other versions, and links over time: silence, sleep, repeated failure. */
import { describe, expect, it } from "vitest";
import { MOMENT_MS } from "../support/deadline.ts";
import { waitFor } from "../support/wait-for.ts";
import { FakePeer, HEALTH, row, said, upsert } from "./support/fake-peer.ts";
import { LinkedPeers } from "./support/linked-peers.ts";

describe("a peer of another version", () => {
  it("that is newer is understood as far as possible", async () => {
    const peer = await new FakePeer().start();
    peer.answer("/v1/health", { ...HEALTH, version: "99.0.0", mood: "fine", sessions: { alive: 1, of_late: [] } });
    peer.on("/v1/events", (_, response) => {
      peer.open(
        response,
        said("weather", { type: "weather" }),
        upsert(row(1, { colour: "green", status: { label: "thinking", working: true, tone: "low" } })),
        said("attention", [
          { session_id: row(1).id, title: "t", agent: "shell", reason: "lonely", since: HEALTH.started_at, cwd: "/" },
          {
            session_id: row(1).id,
            title: "t",
            agent: "shell",
            reason: "error",
            since: HEALTH.started_at,
            cwd: "/",
            x: 1,
          },
        ]),
      );
    });
    const here = new LinkedPeers();
    here.link("box", peer.url);
    expect(await here.until("box", "connected")).toMatchObject({ version: "99.0.0" });
    const shown = here.store.get(`${row(1).id}@box`);
    expect(shown).toEqual({
      ...row(1),
      id: `${row(1).id}@box`,
      slug: expect.any(String) as string,
      peer: "box",
      status: { label: "thinking", working: true },
    });
    expect(here.peers.attention().map(({ ref, reason }) => [ref, reason])).toEqual([[`${row(1).id}@box`, "error"]]);
  });

  it("that is older does what it supports, and errors say what it lacks", async () => {
    const peer = await new FakePeer().start();
    const { slug: _, ...old } = row(1);
    peer.on("/v1/events", (_request, response) => peer.open(response, upsert(old)));
    peer.answer(`/v1/sessions/${row(1).id}/kill`, null);
    const here = new LinkedPeers();
    here.link("box", peer.url);
    await here.until("box", "connected");
    expect(here.peers.attention()).toEqual([]);
    expect((await here.ask(`${row(1).id}@box`, "/kill")).status).toBe(200);
    await expect(here.ask(`${row(1).id}@box`, "/account", "GET")).rejects.toMatchObject({
      code: "peer_too_old",
      message: "The daemon of box is of a version that cannot do this. Update amux there.",
    });
    const [told] = await here.peers.askAll(
      { path: "/v1/fleet/anything", maxBytes: 1000 },
      { safeParse: () => ({ success: false }) } as never,
      new AbortController().signal,
    );
    expect(told?.error).toMatch(/of a version that cannot do this/);
  });

  it("that is something else altogether is not linked", async () => {
    const peer = await new FakePeer().start();
    peer.answer("/v1/health", { service: "otherd", version: "1" });
    const here = new LinkedPeers();
    here.link("box", peer.url);
    expect((await here.until("box", "unreachable")).error).toMatch(/malformed/);
    expect(peer.asked.some((asked) => asked.includes("/v1/events"))).toBe(false);
  });
});

describe("a link", () => {
  it("is retried with growing delays, and from the beginning after a success", async () => {
    const peer = await new FakePeer().start();
    let works = false;
    peer.on("/v1/events", (_, response) => (works ? peer.open(response) : response.destroy()));
    const here = new LinkedPeers({ firstRetryMs: 40, lastRetryMs: 160 });
    here.link("box", peer.url);
    await waitFor("six failures", () => here.pauses.length >= 6);
    // Each wait is between half and all of the planned one: 40, 80, 160, 160 …
    const planned = [40, 80, 160, 160, 160, 160];
    for (const [index, wait] of here.pauses.slice(0, 6).entries())
      expect(wait).toBeLessThanOrEqual(planned[index]! + 1);
    works = true;
    await here.until("box", "connected");
    works = false;
    const before = here.pauses.length;
    peer.streams.at(-1)!.destroy();
    await waitFor("another failure", () => here.pauses.length > before);
    expect(here.pauses[before]).toBeLessThanOrEqual(41);
  });

  it("that has fallen silent is not trusted", async () => {
    const peer = await new FakePeer().start();
    const here = new LinkedPeers({ silenceMs: 100 });
    here.link("box", peer.url);
    await here.until("box", "connected");
    // Without heartbeats the stream is dropped and opened again.
    await waitFor("a second stream", () => peer.streams.length >= 2);
  });

  it("is renewed when the machine has slept", async () => {
    const peer = await new FakePeer().start();
    const here = new LinkedPeers({ tickMs: 20, sleptMs: 300 });
    here.link("box", peer.url);
    await here.until("box", "connected");
    const before = peer.streams.length;
    // Nothing runs in this process meanwhile, not even timers, as on a suspended laptop.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await waitFor("another stream", () => peer.streams.length > before);
    await here.until("box", "connected");
  });

  it("to a machine that has stopped answering is abandoned by its callers, and slows nobody else", async () => {
    const [stuck, well] = [await new FakePeer().start(), await new FakePeer().start()];
    for (const peer of [stuck, well]) {
      peer.on("/v1/events", (_, response) => peer.open(response, upsert(row(1))));
      peer.answer(`/v1/sessions/${row(1).id}/kill`, null);
    }
    well.answer("/v1/health", { ...HEALTH, pid: 4712 });
    const here = new LinkedPeers({ doubtAfterMs: 100, probeWithinMs: MOMENT_MS });
    here.link("stuck", stuck.url);
    here.link("well", well.url);
    await Promise.all([here.until("stuck", "connected"), here.until("well", "connected")]);
    // Its stream stays open, but it answers no request.
    for (const path of ["/v1/health", `/v1/sessions/${row(1).id}/kill`]) stuck.on(path, () => undefined);
    // Handled from the start: it may come before the other's answer is read.
    const refused = expect(here.ask(`${row(1).id}@stuck`, "/kill")).rejects.toMatchObject({ code: "peer_unreachable" });
    expect((await here.ask(`${row(1).id}@well`, "/kill")).status).toBe(200);
    await refused;
    expect(here.store.get(`${row(1).id}@stuck`)?.unreachable).toBe(true);
    expect(here.store.get(`${row(1).id}@well`)?.unreachable).toBeUndefined();
    await expect(here.ask(`${row(1).id}@stuck`, "/kill")).rejects.toThrow(/^stuck cannot be reached\. /);
  });

  it("that sends the same again broadcasts nothing", async () => {
    const peer = await new FakePeer().start();
    peer.on("/v1/events", (_, response) => peer.open(response, upsert(row(1)), upsert(row(2))));
    const here = new LinkedPeers();
    here.link("box", peer.url);
    await here.until("box", "connected");
    const before = here.changes;
    for (let round = 0; round < 50; round++) peer.tell(upsert(row(1)), upsert(row(2)));
    peer.tell(said("session-activity", { type: "session-activity", id: row(1).id }));
    await waitFor("the last of them", () => here.activity.length === 1);
    expect(here.changes).toBe(before);
  });
});

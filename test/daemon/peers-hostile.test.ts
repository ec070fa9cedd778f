/** A hostile peer gets no unrequested rows in, no memory, and no other address. */
import { describe, expect, it } from "vitest";
import { waitFor } from "../support/wait-for.ts";
import { FakePeer, HEALTH, row, said, upsert } from "./support/fake-peer.ts";
import { LinkedPeers } from "./support/linked-peers.ts";

/** Linked to a peer whose stream starts with these events. */
async function linked(...events: string[]): Promise<{ peer: FakePeer; here: LinkedPeers }> {
  const peer = await new FakePeer().start();
  peer.on("/v1/events", (_, response) => peer.open(response, ...events));
  const here = new LinkedPeers();
  here.link("box", peer.url);
  await here.until("box", "connected");
  return { peer, here };
}

const ESCAPES = "\u001b]52;c;aGVsbG8=\u0007\u009b31mred\u202etxt";

describe("a hostile peer", () => {
  it("gets no row under a malformed id, a third machine's, or another kind", async () => {
    const bad = [
      "../../etc/passwd",
      "sess-00000001@other",
      "sess-00000001/../x",
      "sess-0000000\u0000",
      "__proto__",
      "",
    ].map((id) => upsert({ ...row(1), id }));
    const { here } = await linked(
      ...bad,
      upsert({ ...row(1), kind: "../x" }),
      upsert({ ...row(1), slug: "../x" }),
      upsert({ ...row(1), created_at: "yesterday" }),
      upsert({ ...row(1), exited_at: "2026-99-99T99:99:99Z" }),
      upsert({ ...row(1), terminal_cols: 1e9 }),
      upsert({ ...row(1), command: "sh" }),
      upsert({ ...row(1), command: Array.from({ length: 2000 }, () => "x") }),
      upsert({ ...row(1), cwd: "x".repeat(10_000) }),
      said("session-upsert", "not json"),
      said("session-upsert", "[]"),
      said("session-upsert", "null"),
      said("session-remove", { id: { toString: "x" } }),
      said("session-activity", { id: "sess-99999999" }),
      said("attention", { not: "a list" }),
      said("attention", [
        null,
        7,
        { session_id: "../x", title: "", agent: "", reason: "error", since: "now", cwd: "" },
      ]),
      upsert(row(2)),
    );
    expect(here.ids()).toEqual(["sess-00000002@box"]);
    expect(here.activity).toEqual([]);
    expect(here.peers.attention()).toEqual([]);
  });

  it("cannot control a terminal, or say whose row it is", async () => {
    const waiting = { session_id: row(1).id, title: ESCAPES, agent: ESCAPES, reason: "question", text: ESCAPES };
    const { here } = await linked(
      upsert(
        row(1, {
          title: ESCAPES,
          subtitle: ESCAPES,
          cwd: ESCAPES,
          command: [ESCAPES],
          socket_path: ESCAPES,
          remotes: { [ESCAPES]: "https://user:secret@example.com/x" },
          status: { label: ESCAPES, working: false },
          peer: "somebody-else",
          unreachable: true,
        }),
      ),
      said("attention", [{ ...waiting, since: HEALTH.started_at, cwd: ESCAPES, peer: "somebody-else" }]),
    );
    const shown = here.store.get("sess-00000001@box");
    expect(shown).toMatchObject({ peer: "box" });
    expect(shown?.unreachable).toBeUndefined();
    const text = JSON.stringify([shown, here.peers.attention()]);
    expect(text).not.toMatch(/\\u001b|\\u0007|[\u0080-\u009f\u202a-\u202e]/);
    expect(text).not.toContain("secret");
    expect(here.peers.attention().map(({ ref }) => ref)).toEqual(["sess-00000001@box"]);
  });

  it("is disconnected at an endless event", async () => {
    const peer = await new FakePeer().start();
    peer.on("/v1/events", (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const more = (): void => {
        if (response.write(`data: ${"x".repeat(64 * 1024)}`)) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    });
    const here = new LinkedPeers();
    here.link("box", peer.url);
    expect((await here.until("box", "unreachable")).error).toMatch(/longer than/);
  });

  it("gets no more rows than a machine can have, in number or in size", async () => {
    const peer = await new FakePeer().start();
    const here = new LinkedPeers({ maxCharacters: 1_000_000 });
    here.link("box", peer.url);
    await here.until("box", "connected");
    // Each row has 20 KB of command.
    const command = Array.from({ length: 20 }, () => "x".repeat(1000));
    for (let number = 0; number < 100; number++) peer.tell(upsert({ ...row(number), command }));
    peer.tell(said("session-remove", { id: row(0).id }), upsert({ ...row(999), title: "fits again" }));
    await waitFor("the last event", () => here.titles().includes("fits again"));
    expect(JSON.stringify(here.store.list()).length).toBeLessThan(1_000_000);
    expect(here.ids().length).toBeLessThan(50);
  });

  it("cannot redirect anybody", async () => {
    const other = await new FakePeer().start();
    const { peer, here } = await linked(upsert(row(1)));
    peer.on(`/v1/sessions/${row(1).id}/text`, (_, response) => {
      response.writeHead(302, { location: `${other.url}/v1/health`, "set-cookie": "amux-token=x" }).end();
    });
    await expect(here.ask(`${row(1).id}@box`, "/text", "GET")).rejects.toMatchObject({ code: "peer_unreachable" });
    let redirects = 0;
    peer.on("/v1/health", (_, response) => {
      redirects += 1;
      response.writeHead(301, { location: `${other.url}/v1/health` }).end();
    });
    peer.streams.at(-1)!.destroy();
    // The second comes after the first was refused.
    await waitFor("two redirects", () => redirects >= 2);
    expect(here.status("box").state).toBe("unreachable");
    expect(other.asked).toEqual([]);
  });

  it("cannot set headers, or the content type for a browser", async () => {
    const { peer, here } = await linked(upsert(row(1)));
    peer.on(`/v1/sessions/${row(1).id}/text`, (_, response) => {
      response.writeHead(200, {
        "content-type": "text/html",
        "set-cookie": "amux-token=x",
        "access-control-allow-origin": "*",
        "x-amux-cols": "80",
        "x-amux-rows": "<b>",
      });
      response.end("<script>alert(1)</script>");
    });
    const answer = await here.ask(`${row(1).id}@box`, "/text", "GET");
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": "application/octet-stream",
      "x-amux-cols": "80",
    });
  });

  it("that answers a byte at a time is not waited for, and affects nobody else", async () => {
    const peer = await new FakePeer().start();
    let dripping: NodeJS.Timeout | undefined;
    let isHungUp = false;
    peer.on("/v1/health", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      dripping = setInterval(() => response.write(" "), 20);
      response.once("close", () => {
        clearInterval(dripping);
        isHungUp = true;
      });
    });
    const well = await new FakePeer().start();
    const here = new LinkedPeers();
    here.link("slow", peer.url);
    here.link("well", well.url);
    await here.until("well", "connected");
    await waitFor("its first byte", () => dripping);
    expect(here.status("slow").state).toBe("connecting");
    here.peers.remove("slow");
    await waitFor("it to be hung up on", () => isHungUp);
  });
});

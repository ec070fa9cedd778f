/** Linked daemons: real processes, each with its own home, socket and port. */
import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import type { AttentionItem } from "../../src/protocol/daemon-api.ts";
import type { PeerStatus } from "../../src/protocol/peers.ts";
import { DEADLINE_MS } from "../support/deadline.ts";
import { waitFor } from "../support/wait-for.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";
import { freePort } from "../../scripts/free-port.mjs";
import type { TestDaemon } from "./support/test-daemon.ts";

function addressOf(daemon: TestDaemon): { url: string; token: string } {
  return { url: `http://127.0.0.1:${daemon.port}`, token: daemon.token };
}

async function linked(hub: TestDaemon, name: string, spoke: TestDaemon): Promise<void> {
  await hub.data("POST", "/v1/peers", { name, ...addressOf(spoke) });
  await until(hub, name, ({ state }) => state === "connected");
}

function until(hub: TestDaemon, name: string, test: (status: PeerStatus) => boolean): Promise<PeerStatus> {
  return waitFor(`peer ${name}`, async () => {
    const status = (await hub.data<PeerStatus[]>("GET", "/v1/peers")).find((peer) => peer.name === name);
    return status !== undefined && test(status) ? status : undefined;
  });
}

describe("a peer", () => {
  const hubOf = sharedDaemon();
  const spokeOf = sharedDaemon();

  /** Two machines without a link. */
  async function two(): Promise<[hub: TestDaemon, spoke: TestDaemon]> {
    const both: [TestDaemon, TestDaemon] = [hubOf(), spokeOf()];
    for (const daemon of both) {
      for (const { name } of await daemon.data<PeerStatus[]>("GET", "/v1/peers"))
        await daemon.data("DELETE", `/v1/peers/${name}`);
      for (const { id } of await daemon.sessions()) await daemon.data("POST", `/v1/sessions/${id}/dismiss`);
    }
    return both;
  }

  it("shows its sessions here, and forwards actions on them", async () => {
    const [hub, spoke] = await two();
    const early = await spoke.launch("cat");
    await linked(hub, "box", spoke);
    await hub.until("the row", `${early}@box`, ({ alive }) => alive);

    const started = await hub.data<{ session_id: string }>("POST", "/v1/launch", {
      peer: "box",
      command: ["sh", "-c", "read line; echo heard:$line; read rest"],
      cwd: spoke.userHome,
    });
    const id = started.session_id;
    expect(id).toMatch(/^sess-[a-z0-9]{8}@box$/);
    await hub.data("POST", `/v1/sessions/${id}/input`, Buffer.from("hello\r"));
    await waitFor("the answer", async () => {
      const { text } = await hub.ask("GET", `/v1/sessions/${id}/text`);
      return text.includes("heard:hello");
    });
    await hub.data("POST", `/v1/sessions/${id}/kill`);
    await hub.until("its end", id, ({ alive }) => !alive);
    expect((await hub.data<{ session_id: string }>("POST", `/v1/sessions/${id}/resume`)).session_id).toBe(id);
    await hub.until("its return", id, ({ alive }) => alive);
    await hub.data("POST", `/v1/sessions/${id}/dismiss`);
    await waitFor("the row to go", async () => (await hub.session(id)) === undefined);
    expect((await hub.ask("POST", "/v1/sessions/sess-00000000@box/kill")).error?.code).toBe("not_found");
    expect((await hub.ask("POST", `/v1/sessions/${early}@nobody/kill`)).error?.code).toBe("not_found");
    // A row of the hub is not requested from peers.
    expect(await hub.session(early)).toBeUndefined();
  });

  it("has its questions in the list here, where they are answered", async () => {
    const [hub, spoke] = await two();
    const id = await spoke.launch("exec cat");
    await linked(hub, "box", spoke);
    await linked(spoke, "hub", hub);
    const { socket } = spoke.shim.files(id);
    const question = {
      agent: "claude",
      state: "permission",
      ask: "a",
      message: "Bash: make",
      session: "s",
      waits: "beside",
    };
    const asked = askRunner(socket, {
      method: "POST",
      path: "/hook",
      body: JSON.stringify({ ...question, source: "hook" }),
      // It is held until the question is answered below.
      timeoutMs: DEADLINE_MS,
    });
    const queue = (daemon: TestDaemon): Promise<AttentionItem[]> => daemon.data("GET", "/v1/attention");
    const [item] = await waitFor("the question", async () => {
      const items = await queue(hub);
      return items.length === 0 ? undefined : items;
    });
    expect(item).toMatchObject({ session_id: `${id}@box`, reason: "permission", text: "Bash: make", source: "hook" });
    // It does not come back to its origin.
    expect((await queue(spoke)).map(({ session_id }) => session_id)).toEqual([id]);
    const receipt = await hub.data("POST", `/v1/sessions/${id}@box/answer`, { answer: "allow" });
    expect(receipt).toMatchObject({ via: "hook", confirmed: true });
    expect(JSON.parse((await asked).body.toString())).toMatchObject({ behavior: "allow" });
    await waitFor("nobody to wait", async () => (await queue(hub)).length === 0);

    await askRunner(socket, {
      method: "POST",
      path: "/hook",
      body: JSON.stringify({ ...question, waits: undefined, source: "hook", ask: "b" }),
    });
    await waitFor("the next question", async () => (await queue(hub)).length === 1);
    await spoke.kill("SIGKILL");
    await waitFor("nobody who could be answered", async () => (await queue(hub)).length === 0);
    await spoke.start();
  });

  it("that disconnects is shown as unreachable, and returns by itself", async () => {
    const [hub, spoke] = await two();
    const id = `${await spoke.launch("cat")}@box`;
    await linked(hub, "box", spoke);
    await hub.until("the row", id, ({ alive }) => alive);
    await spoke.kill("SIGKILL");
    const row = await hub.until("the mark", id, ({ unreachable }) => unreachable === true);
    expect(row.socket_path).toBeUndefined();
    const refused = await hub.ask("POST", `/v1/sessions/${id}/kill`);
    expect([refused.status, refused.error?.code]).toEqual([502, "peer_unreachable"]);
    expect(refused.error?.message).toMatch(/^box cannot be reached\. /);
    expect((await hub.ask("POST", "/v1/launch", { peer: "box" })).error?.code).toBe("peer_unreachable");
    await spoke.start();
    await hub.until("its return", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    await hub.data("POST", `/v1/sessions/${id}/kill`);
  });

  it("is removed with its rows and its token, and remembered after a restart", async () => {
    const [hub, spoke] = await two();
    const id = `${await spoke.launch("cat")}@box`;
    await linked(hub, "box", spoke);
    await hub.kill("SIGTERM");
    await hub.start();
    await hub.until("the row", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    expect((statSync(hub.files.peers).mode & 0o777).toString(8)).toBe("600");
    expect(readFileSync(hub.files.peers, "utf8")).toContain(spoke.token);
    expect((await hub.ask("GET", "/v1/peers")).text).not.toContain(spoke.token);
    expect(readFileSync(hub.files.log, "utf8")).not.toContain(spoke.token);
    await hub.data("DELETE", "/v1/peers/box");
    expect(await hub.session(id)).toBeUndefined();
    expect(readFileSync(hub.files.peers, "utf8")).not.toContain(spoke.token);
    expect((await hub.ask("DELETE", "/v1/peers/box")).error?.code).toBe("unknown_peer");
  });

  it("that is linked in return hears nothing about itself", async () => {
    const [one, other] = await two();
    const a = await one.launch("cat");
    const b = await other.launch("cat");
    await Promise.all([linked(one, "other", other), linked(other, "one", one)]);
    await one.until("the row", `${b}@other`, ({ alive }) => alive);
    await other.until("the row", `${a}@one`, ({ alive }) => alive);
    // Each tells the other only about itself, so nothing goes round in circles.
    expect((await one.sessions()).map(({ id }) => id).sort()).toEqual([a, `${b}@other`].sort());
    expect((await other.sessions()).map(({ id }) => id).sort()).toEqual([b, `${a}@one`].sort());
  });

  it("must not be this machine, or one that is already linked", async () => {
    const [hub, spoke] = await two();
    await hub.data("POST", "/v1/peers", { name: "me", ...addressOf(hub) });
    const self = await until(hub, "me", ({ state }) => state === "unreachable");
    expect(self.error).toBe("This is the daemon of this machine itself.");
    await linked(hub, "box", spoke);
    await hub.data("POST", "/v1/peers", { name: "crate", ...addressOf(spoke) });
    const twin = await until(hub, "crate", ({ state }) => state === "unreachable");
    expect(twin.error).toBe("This is the same daemon as box.");
  });

  it("is distinguished from an unusable one, with the reason", async () => {
    const [hub, spoke] = await two();
    const url = addressOf(spoke).url;
    await hub.data("POST", "/v1/peers", { name: "wrong", url, token: "0".repeat(64) });
    expect((await until(hub, "wrong", ({ state }) => state === "unreachable")).error).toBe("The token is wrong.");
    const nothing = `http://127.0.0.1:${await freePort()}`;
    await hub.data("POST", "/v1/peers", { name: "nothing", url: nothing, token: "0".repeat(64) });
    expect((await until(hub, "nothing", ({ state }) => state === "unreachable")).error).toMatch(/^Nothing answers/);
    for (const request of [
      { name: "clear", url: "http://203.0.113.7:8790", token: "0".repeat(64) },
      { name: "secret", url: "https://user:word@host", token: "0".repeat(64) },
      { name: "none", url: "https://host" },
      { name: "option", url: "ssh://-oProxyCommand=x" },
      { name: "../x", url: "ssh://box" },
    ]) {
      expect((await hub.ask("POST", "/v1/peers", request)).error?.code, request.name).toBe("bad_request");
    }
  });
});

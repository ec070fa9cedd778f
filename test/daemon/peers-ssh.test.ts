import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { PeerStatus } from "../../src/protocol/peers.ts";
import { waitFor } from "../support/wait-for.ts";
import { hasSshServer, SshServer } from "./support/ssh-server.ts";
import { TestDaemon } from "./support/test-daemon.ts";
import { needs } from "../support/needs.ts";

function statusOf(hub: TestDaemon, test: (status: PeerStatus) => boolean): Promise<PeerStatus> {
  return waitFor("the peer", async () => {
    const [status] = await hub.data<PeerStatus[]>("GET", "/v1/peers");
    return status !== undefined && test(status) ? status : undefined;
  });
}

describe("a peer over ssh", needs(hasSshServer(), "sshd"), () => {
  it("is reached through its socket, again after a cut, and by one ssh, even if that is stopped or the daemon killed", async () => {
    const server = await new SshServer().start();
    const hub = new TestDaemon(server.client({ knowsHost: true }));
    const spoke = new TestDaemon();
    await Promise.all([hub.start(), spoke.start()]);
    await hub.data("POST", "/v1/peers", { name: "box", url: `ssh://box${spoke.files.socket}` });
    expect(await statusOf(hub, ({ state }) => state !== "connecting")).toMatchObject({ state: "connected" });
    const { session_id: id } = await hub.data<{ session_id: string }>("POST", "/v1/launch", {
      peer: "box",
      command: ["sh", "-c", "echo over there; read x"],
      cwd: spoke.userHome,
    });
    await waitFor("its screen", async () =>
      (await hub.ask("GET", `/v1/sessions/${id}/text`)).text.includes("over there"),
    );
    await spoke.kill("SIGKILL");
    await hub.until("the mark", id, ({ unreachable }) => unreachable === true);
    await spoke.start();
    await hub.until("its return", id, ({ unreachable, alive }) => alive && unreachable === undefined);
    await hub.data("POST", `/v1/sessions/${id}/kill`);

    // No ssh is left behind when a daemon is killed.
    const pids = (): number[] =>
      execFileSync("ps", ["-ww", "-eo", "pid=,args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes(" -N ") && line.includes(hub.root))
        .map((line) => Number.parseInt(line, 10));
    // The one before the cut may still be going.
    const [first] = await waitFor("one ssh", () => (pids().length === 1 ? pids() : undefined));
    await hub.kill("SIGKILL");
    expect(pids()).toEqual([first]);
    await hub.start();
    await statusOf(hub, ({ state }) => state === "connected");
    const [second, ...more] = await waitFor("the old one's end", () => (pids().includes(first!) ? undefined : pids()));
    expect([typeof second, more]).toEqual(["number", []]);

    // As after a night: the connection exists, but nothing passes.
    process.kill(second!, "SIGSTOP");
    const asked = await hub.ask("GET", "/v1/history?peer=box");
    expect(asked.error?.code).toBe("peer_unreachable");
    await statusOf(hub, ({ state }) => state === "connected");
    await waitFor("the stopped one's end", () => !pids().includes(second!));
    await hub.kill("SIGTERM");
    await waitFor("the last one's end", () => pids().length === 0);
  });

  it.each([
    ["a host nobody knows", []],
    ["a host nobody knows, also when the user's configuration would not look", ["StrictHostKeyChecking no"]],
    ["a host that would be forgotten at once", ["StrictHostKeyChecking accept-new", "UserKnownHostsFile /dev/null"]],
  ])("is not connected to when it is %s", async (_, settings) => {
    const server = await new SshServer().start();
    const hub = new TestDaemon(server.client({ knowsHost: false, settings }));
    await hub.start();
    await hub.data("POST", "/v1/peers", { name: "box", url: "ssh://box/tmp/nothing.sock" });
    const { error } = await statusOf(hub, ({ state }) => state === "unreachable");
    expect(error).toMatch(/Host key verification failed/);
  });
});

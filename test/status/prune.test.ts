import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pruneStatusFiles, type Pruned } from "../../src/status/prune.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { startTmux, type Tmux } from "./support/tmux.ts";

const OLD = 1_700_000_000;

function storeWith(files: Record<string, object>): StatusStore {
  const store = new StatusStore(join(tempHome().path, "sessions"));
  for (const [name, fields] of Object.entries(files))
    store.update(name, (file) => ({ ...file, timestamp: OLD, ...fields }));
  return store;
}

const of = (tmux: Tmux | { socket: string }): object => ({ amux: { tmux_socket: tmux.socket, agents: {} } });

/** A server that is too slow to answer proves nothing. */
const pruned = (store: StatusStore, sockets: readonly string[], dryRun: boolean): Promise<Pruned[]> =>
  waitFor("an answer of tmux", async () => {
    const found = await pruneStatusFiles(store, sockets, dryRun);
    return found.length > 0 ? found : undefined;
  });

const names = (store: StatusStore): string[] => readdirSync(store.directory).map((name) => name.replace(/\.json$/, ""));

describe("status files are removed", () => {
  it("when their server answers and does not know the session", async () => {
    const tmux = startTmux();
    tmux.newSession("alive", "/");
    const store = storeWith({ alive: of(tmux), gone: of(tmux), "gone too": {} });
    const dry = await pruned(store, [tmux.socket], true);
    expect(dry.map(({ name }) => name)).toEqual(["gone", "gone too"]);
    expect(names(store)).toHaveLength(3);
    expect(await pruned(store, [tmux.socket], false)).toEqual([
      { name: "gone", evidence: `tmux at ${tmux.socket} has no session "gone"` },
      { name: "gone too", evidence: `tmux at ${tmux.socket} has no session "gone too"` },
    ]);
    expect(names(store)).toEqual(["alive"]);
  });
});

describe("status files stay", () => {
  it("when tmux does not answer, whatever the reason", async () => {
    const tmux = startTmux();
    tmux.newSession("s", "/");
    tmux.run("kill-server");
    const store = storeWith({ a: of(tmux), b: {}, c: of({ socket: "/nowhere/socket" }) });
    expect(await pruneStatusFiles(store, [tmux.socket], false)).toEqual([]);
    expect(await pruneStatusFiles(store, [], false)).toEqual([]);
    expect(names(store)).toHaveLength(3);
  });

  it("when tmux is not installed", async () => {
    const tmux = startTmux();
    tmux.newSession("s", "/");
    const store = storeWith({ gone: of(tmux) });
    const path = process.env["PATH"];
    process.env["PATH"] = "/nowhere";
    try {
      expect(await pruneStatusFiles(store, [tmux.socket], false)).toEqual([]);
    } finally {
      process.env["PATH"] = path;
    }
  });

  it("when another server has the session", async () => {
    const [one, two] = [startTmux(), startTmux()];
    one.newSession("here", "/");
    two.newSession("there", "/");
    const store = storeWith({ there: {}, here: {}, elsewhere: of(two) });
    expect((await pruned(store, [one.socket, two.socket], false)).map(({ name }) => name)).toEqual(["elsewhere"]);
    expect(names(store)).toEqual(["here", "there"]);
  });

  it("of unknown origin, when one of the servers does not answer", async () => {
    const tmux = startTmux();
    tmux.newSession("s", "/");
    const store = storeWith({ unknown: {} });
    expect(await pruneStatusFiles(store, [tmux.socket, "/nowhere/socket"], false)).toEqual([]);
  });

  it("when they were written just now, or belong to sessions outside of tmux", async () => {
    const tmux = startTmux();
    tmux.newSession("s", "/");
    const store = storeWith({
      young: { ...of(tmux), timestamp: Math.floor(Date.now() / 1000) },
      ours: { ...of(tmux), amux_session: "sess-abc12345" },
    });
    expect(await pruneStatusFiles(store, [tmux.socket], false)).toEqual([]);
  });

  it("when the server hangs", async () => {
    const tmux = startTmux();
    tmux.newSession("s", "/");
    const pid = tmux.run("display-message", "-p", "-t", "=s:", "#{pid}");
    const store = storeWith({ gone: of(tmux) });
    execFileSync("kill", ["-STOP", pid]);
    try {
      expect(await pruneStatusFiles(store, [tmux.socket], false)).toEqual([]);
    } finally {
      execFileSync("kill", ["-CONT", pid]);
    }
  });
});

/** Clean-ups after dead sessions, several at once. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { sessionFiles, socketDirectory, type SessionDirectories } from "../protocol/session-files.ts";
import { removeOrphans } from "./live-sockets.ts";

/** Listens and holds the locks as runners do, until it is killed. */
const RUNNER = `
const files = JSON.parse(process.argv[1]);
let listening = 0;
for (const { socket, lock } of files) {
  require("node:fs").writeFileSync(lock, JSON.stringify({ pid: process.pid, startTime: "before" }));
  require("node:net").createServer().listen(socket, () => {
    if (++listening === files.length) process.kill(process.pid, "SIGKILL");
  });
}`;

function deadSessions(places: SessionDirectories, ids: readonly string[]): void {
  mkdirSync(socketDirectory(places), { recursive: true });
  const files = JSON.stringify(ids.map((id) => sessionFiles(places, id)));
  expect(spawnSync(process.execPath, ["-e", RUNNER, files]).signal).toBe("SIGKILL");
}

it("names no dead session whose files another clean-up has removed meanwhile", async () => {
  const places = { home: tempHome().path };
  const [whole, noSocket] = ["sess-bkilled1", "sess-bnosock1"];
  deadSessions(places, [whole, noSocket]);
  rmSync(sessionFiles(places, noSocket).socket);
  /** The other one removes them between this one's list and its look at each. */
  class Removed extends Set<string> {
    override has(id: string): boolean {
      const { socket, lock } = sessionFiles(places, id);
      for (const path of [socket, lock]) rmSync(path, { force: true });
      return super.has(id);
    }
  }
  expect(await removeOrphans(places, new Removed())).toEqual([]);
  deadSessions(places, [whole, noSocket]);
  rmSync(sessionFiles(places, noSocket).socket);
  expect(await removeOrphans(places)).toEqual([whole, noSocket]);
  expect(readdirSync(socketDirectory(places))).toEqual([]);
});

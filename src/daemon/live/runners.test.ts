import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { LocalRunners, RESTORED_WITHIN_MS } from "./runners.ts";

it("a pipe in place of a runner's file is not waited for", () => {
  const places = { home: join(tempHome().path, "amux") };
  const { directory, meta } = sessionFiles(places, "sess-apipe001");
  mkdirSync(directory, { recursive: true });
  execFileSync("mkfifo", [meta]);
  expect(new LocalRunners(places).stored("sess-apipe001")).toBeUndefined();
});

it("a session that was dismissed, restored and dismissed again can be restored for a whole minute more", () => {
  const places = { home: join(tempHome().path, "amux") };
  const [id, other] = ["sess-dismiss1", "sess-dismiss2"];
  for (const each of [id, other]) {
    const { directory, meta } = sessionFiles(places, each);
    mkdirSync(directory, { recursive: true });
    writeFileSync(meta, "{}");
  }
  const { directory } = sessionFiles(places, id);
  const runners = new LocalRunners(places);
  runners.forget(id);
  expect(existsSync(directory)).toBe(false);
  expect(runners.restore(id)).toBe(true);
  runners.forget(id);
  runners.forget(id);
  runners.clearForgotten(Date.now() + RESTORED_WITHIN_MS / 2);
  expect(runners.restore(id)).toBe(true);
  runners.forget(id);
  runners.clearForgotten(Date.now() + 2 * RESTORED_WITHIN_MS);
  expect(runners.restore(id)).toBe(false);
  expect(existsSync(sessionFiles(places, other).meta), "another session's files").toBe(true);
});

it.each(["", ".", "..", "../sockets", ".dismissed"])("the name %j forgets and restores nothing", (name) => {
  const places = { home: join(tempHome().path, "amux") };
  const { meta, directory } = sessionFiles(places, "sess-dismiss1");
  mkdirSync(directory, { recursive: true });
  writeFileSync(meta, "{}");
  const runners = new LocalRunners(places);
  runners.forget(name);
  expect(runners.restore(name)).toBe(false);
  expect(existsSync(meta)).toBe(true);
});

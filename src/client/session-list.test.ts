import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { sessionFiles, type SessionDirectories } from "../protocol/session-files.ts";
import { knownSessions } from "./session-list.ts";

const META = {
  id: "sess-good0001",
  created_at: "2026-06-01T12:00:00.000Z",
  command: ["bash"],
  cwd: "/work",
  kind: "shell",
  alive: false,
  exit_code: 0,
  title: "bash",
  status: null,
  reports: [],
};

function pathOf(places: SessionDirectories, id: string): string {
  const { meta } = sessionFiles(places, id);
  mkdirSync(dirname(meta), { recursive: true });
  return meta;
}

it("one session's damaged file is reported, and hides no other session", () => {
  const places = { home: join(tempHome().path, "amux") };
  const write = (id: string, value: unknown): void => writeFileSync(pathOf(places, id), JSON.stringify(value));
  write(META.id, META);
  const { title: _, ...untitled } = META;
  write("sess-untitled", { ...untitled, id: "sess-untitled" });
  write("sess-another1", META);
  write("sess-reports1", { ...META, id: "sess-reports1", reports: [null] });
  writeFileSync(pathOf(places, "sess-cutshort"), '{"id":"sess-cut');
  execFileSync("mkfifo", [pathOf(places, "sess-apipe001")]);
  mkdirSync(pathOf(places, "sess-adirecto"));
  // Not complete yet.
  mkdirSync(sessionFiles(places, "sess-starting").directory);
  const told: Record<string, string> = {};
  const known = knownSessions(places, (path, reason) => (told[dirname(path).slice(-13)] = reason));
  expect(known).toEqual([{ meta: META, alive: false }]);
  expect(told).toEqual({
    "sess-untitled": 'is not a session\'s: "title" is not a text',
    "sess-another1": "is that of sess-good0001",
    "sess-reports1": 'is not a session\'s: "reports.0" is not an object',
    "sess-cutshort": "is not JSON",
    "sess-apipe001": "is not a regular file",
    "sess-adirecto": "is a directory",
  });
});

import { expect, it } from "vitest";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { hasFailed, viewOfSession } from "./runner-view.ts";

const META = {
  id: "sess-a",
  created_at: "2026-01-01T00:00:00.000Z",
  started_at: "2026-01-01T00:00:00.000Z",
  command: ["claude"],
  cwd: "/",
  kind: "claude",
  title: "claude",
  pid: 1,
  alive: true,
  exit_code: null,
  unread: false,
  reports: [],
} as unknown as SessionMeta;

const inState = (state: string): object => ({
  state: { state, source: "hook", since: "2026-01-01T00:01:00.000Z" },
});

it.each([
  ["lost in the middle of a turn", inState("working"), false, true],
  ["lost between turns", inState("idle"), false, false],
  ["lost before it said anything", {}, false, false],
  ["ended with 1", { alive: false, exit_code: 1 }, false, true],
  ["ended by the user", { alive: false, exit_code: 1, killed: true }, false, false],
  ["hung up, by an older runner", { alive: false, exit_code: 129, exit_signal: "SIGHUP" }, false, false],
  ["crashed", { alive: false, exit_code: 139, exit_signal: "SIGSEGV" }, false, true],
  ["ended with 0", { alive: false, exit_code: 0 }, false, false],
  ["alive and in an error", inState("error"), true, true],
  ["alive and idle", inState("idle"), true, false],
])("whether a session has failed that is %s", (_, changes, alive, failed) => {
  const meta = { ...META, ...changes };
  expect(hasFailed(viewOfSession({ meta, alive }, Date.now()), meta)).toBe(failed);
});

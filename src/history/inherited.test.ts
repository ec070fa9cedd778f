import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { madeHome, writeIn } from "../../test/support/agents/made-home.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { SessionManager } from "./manager.ts";
import type { SessionView } from "./session-view.ts";

const [PARENT, FORK] = ["11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"];

function record(session: string, uuid: string, parentUuid: string | null, role: string, content: string): object {
  return {
    type: role,
    uuid: `${uuid}-aaaa-4333-8444-555555555555`,
    parentUuid: parentUuid && `${parentUuid}-aaaa-4333-8444-555555555555`,
    sessionId: session,
    message:
      role === "user" ? { role, content } : { role, id: `msg_${uuid}`, content: [{ type: "text", text: content }] },
  };
}

/** A fork with one message of its own, and its parent's file. */
async function forked(...parentsOwn: object[]): Promise<{ view: SessionView; parent: string }> {
  const env = madeHome();
  const write = (session: string, ...more: object[]): string => {
    const shared = [
      record(session, "00000001", null, "user", "Which port?"),
      record(session, "00000002", "00000001", "assistant", "4321"),
    ];
    const lines = [...shared, ...more].map((line) => `${JSON.stringify(line)}\n`).join("");
    const path = `.claude/projects/-w/${session}.jsonl`;
    writeIn(env, path, lines);
    return join(env.home, path);
  };
  const parent = write(PARENT, ...parentsOwn);
  write(FORK, record(FORK, "00000003", "00000002", "user", "And the host?"));
  const view = await new SessionManager(new AgentRegistry(), env).open("claude", FORK);
  expect(view.summary.forkedFrom).toBe(PARENT);
  return { view, parent };
}

function shown(view: SessionView): unknown[] {
  return [...view.messages()].map(({ content, inherited }) => [content, inherited]);
}

const MARKED = [
  ["Which port?", true],
  ["4321", true],
  ["And the host?", undefined],
];

it("marks what a fork copied as inherited where nothing dates its beginning", async () => {
  const { view } = await forked();
  expect(shown(view)).toEqual(MARKED);
});

it.runIf(process.platform === "linux")("a fork whose parent went on leaves no file open", async () => {
  const { view, parent } = await forked(record(PARENT, "00000004", "00000002", "user", "And the name?"));
  expect(shown(view)).toEqual(MARKED);
  for (const _ of view.messages()) break;
  expect(openFiles()).not.toContain(parent);
});

it("a fork is shown when its parent vanishes", async () => {
  const { view, parent } = await forked();
  rmSync(parent);
  expect(shown(view)).toEqual(MARKED.map(([content]) => [content, undefined]));
});

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The one that lists the directory, which is closed by now.
      return [];
    }
  });
}

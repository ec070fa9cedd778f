import { expect, it } from "vitest";
import { madeHome, writeIn } from "../../test/support/agents/made-home.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { SessionManager } from "./manager.ts";

const [PARENT, FORK] = ["11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"];

it("marks what a fork copied as inherited where nothing dates its beginning", async () => {
  const env = madeHome();
  const record = (session: string, uuid: string, parentUuid: string | null, role: string, content: string): object => ({
    type: role,
    uuid: `${uuid}-aaaa-4333-8444-555555555555`,
    parentUuid: parentUuid && `${parentUuid}-aaaa-4333-8444-555555555555`,
    sessionId: session,
    message:
      role === "user" ? { role, content } : { role, id: `msg_${uuid}`, content: [{ type: "text", text: content }] },
  });
  const write = (session: string, ...more: object[]): void => {
    const shared = [
      record(session, "00000001", null, "user", "Which port?"),
      record(session, "00000002", "00000001", "assistant", "4321"),
    ];
    const lines = [...shared, ...more].map((line) => `${JSON.stringify(line)}\n`).join("");
    writeIn(env, `.claude/projects/-w/${session}.jsonl`, lines);
  };
  write(PARENT);
  write(FORK, record(FORK, "00000003", "00000002", "user", "And the host?"));
  const manager = new SessionManager(new AgentRegistry(), env);
  const view = await manager.open("claude", FORK);
  expect(view.summary.forkedFrom).toBe(PARENT);
  expect([...view.messages()].map(({ content, inherited }) => [content, inherited])).toEqual([
    ["Which port?", true],
    ["4321", true],
    ["And the host?", undefined],
  ]);
});

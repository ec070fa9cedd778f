import { expect, it } from "vitest";
import type { SessionMessage } from "../core/session.ts";
import type { SessionView } from "../history/session-view.ts";
import { redactedView } from "./redacted-view.ts";
import { Redactor } from "./redactor.ts";

const SECRET = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");

function viewOf(bytes: number): { view: SessionView; reads: () => number } {
  let reads = 0;
  const message = { role: "user", content: `token ${SECRET}`, toolCalls: [] } as unknown as SessionMessage;
  const view = {
    summary: { agent: "claude", sessionId: "a", unifiedId: "claude:a", createdAt: new Date(0), updatedAt: new Date(0) },
    source: { files: [{ path: "/a", size: bytes, mtimeMs: 0 }] },
    messages() {
      reads++;
      return [message];
    },
    subagents: () => [],
    raw: () => undefined,
  } as unknown as SessionView;
  return { view, reads: () => reads };
}

it.each([
  { bytes: 1000, reads: 1 },
  { bytes: 100 * 1024 * 1024, reads: 3 },
])("a session of $bytes bytes is searched for secrets $reads times for two exports", async ({ bytes, reads }) => {
  const { view, reads: count } = viewOf(bytes);
  const clean = await redactedView(view, new Redactor());
  for (const _ of [1, 2])
    expect([...clean.messages()].map(({ content }) => content)).toEqual(["token [redacted github-token]"]);
  expect(count()).toBe(reads);
});

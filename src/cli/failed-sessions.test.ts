import { expect, it } from "vitest";
import { AgentMuxError } from "../core/errors.ts";
import type { QueryClient } from "./archive-options.ts";
import { failedSessions } from "./failed-sessions.ts";

const ERROR = { role: "assistant", content: "API Error: 529 overloaded" };

function clientWith(open: (id: string) => unknown): QueryClient {
  const rows = ["damaged", "gone", "failed"].map((id) => ({
    agent: "claude",
    sessionId: id,
    unifiedId: `claude:${id}`,
  }));
  const sessions = { listAll: async () => rows, open: async (_: string, id: string) => open(id) };
  return { sessions } as unknown as QueryClient;
}

it("one session that cannot be read does not hide the failed ones", async () => {
  const client = clientWith((id) => {
    if (id === "damaged") throw new AgentMuxError("PARSE_ERROR", "It cannot be read.");
    if (id === "gone") throw new AgentMuxError("SESSION_NOT_FOUND", "It is gone.");
    return { messages: () => [ERROR] };
  });
  expect(await failedSessions(client, undefined, {})).toEqual({ found: new Set(["claude:failed"]), unread: 2 });
});

it("an error of another kind is not taken for a damaged session", async () => {
  const client = clientWith(() => {
    throw new TypeError("a bug");
  });
  await expect(failedSessions(client, undefined, {})).rejects.toThrow("a bug");
});

import { expect, it } from "vitest";
import { clientOf, madeAgent } from "../../../test/support/made-agent.ts";
import { says, session } from "../../../test/support/made-conversations.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { answerHistory, type HistorySources } from "./history-answer.ts";
import type { HistoryRequest } from "./history-request.ts";

it("leaves an unknown cost out instead of saying 0", async () => {
  const made = { ...session("a", says("user", "needle")), head: { usageUnknown: true } };
  const manager = clientOf(tempHome().path, madeAgent("made", [made])).sessions;
  const requests: HistoryRequest[] = [
    { kind: "list", options: { counts: true } },
    { kind: "search", query: { text: "needle", counts: true } },
  ];
  for (const request of requests) {
    const pieces: string[] = [];
    for await (const piece of answerHistory({ manager } as HistorySources, request, new AbortController().signal))
      pieces.push(piece);
    const [row] = JSON.parse(pieces.join("")) as object[];
    expect(row).toMatchObject({ sessionId: "a", messageCount: 1 });
    expect(row).not.toHaveProperty("cost");
  }
});

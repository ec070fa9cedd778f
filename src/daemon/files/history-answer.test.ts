import { expect, it } from "vitest";
import { clientOf, madeAgent } from "../../../test/support/made-agent.ts";
import { says, session } from "../../../test/support/made-conversations.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { answerHistory, type HistorySources } from "./history-answer.ts";
import type { OnProgress } from "../../history/progress.ts";
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
    for await (const piece of answerHistory(
      { manager, searches: new Set() } as unknown as HistorySources,
      request,
      new AbortController().signal,
    ))
      pieces.push(piece);
    const [row] = JSON.parse(pieces.join("")) as object[];
    expect(row).toMatchObject({ sessionId: "a", messageCount: 1 });
    expect(row).not.toHaveProperty("cost");
  }
});

it("says how far a search is while it reads", async () => {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  const search = async ({ onProgress }: { onProgress: OnProgress }): Promise<never[]> => {
    onProgress({ agent: "made", stage: "sessions", done: 3, total: 9 });
    await held;
    return [];
  };
  const sources = { manager: { search }, searches: new Set() } as unknown as HistorySources;
  const { signal } = new AbortController();
  const progress = async (): Promise<unknown> => {
    const { value } = await answerHistory(sources, { kind: "progress" }, signal).next();
    return JSON.parse(value as string);
  };
  expect(await progress()).toEqual({ done: 0, total: 0 });
  const answer = answerHistory(sources, { kind: "search", query: { text: "needle" } }, signal);
  const first = answer.next();
  expect(await progress()).toEqual({ done: 3, total: 9 });
  go();
  await first;
  for await (const _ of answer);
  expect(await progress()).toEqual({ done: 0, total: 0 });
});

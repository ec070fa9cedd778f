import { expect, it } from "vitest";
import type { SessionSummary } from "../../core/session.ts";
import type { TuiServices } from "../services.ts";
import { HistoryBoard } from "./history-board.ts";

function titled(title: string): SessionSummary[] {
  const at = new Date(0);
  const summary = {
    unifiedId: "claude:1",
    sessionId: "1",
    agent: "claude",
    title,
    tags: [],
    createdAt: at,
    updatedAt: at,
  };
  return [summary as unknown as SessionSummary];
}

it("a list that began before a change and ends after a later list does not hide the change", async () => {
  const answers: ((summaries: SessionSummary[]) => void)[] = [];
  const listAll = (): Promise<SessionSummary[]> => new Promise((resolve) => void answers.push(resolve));
  const services = { history: () => Promise.resolve({ listAll }) } as unknown as TuiServices;
  const board = new HistoryBoard(services, () => undefined);
  const names = (): string[] | undefined => board.rows?.map(({ name }) => name);
  void board.look();
  await expect.poll(() => answers.length).toBe(1);
  // As after a star or a new name.
  void board.look();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!(titled("its new name"));
  await expect.poll(names).toEqual(["its new name"]);
  answers[0]!(titled("its old name"));
  await new Promise(setImmediate);
  expect(names()).toEqual(["its new name"]);
});

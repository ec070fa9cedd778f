import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../core/session.ts";
import { cutPoint } from "./cut-point.ts";

const user: SessionMessage = { role: "user", content: "?" };
const says: SessionMessage = { role: "assistant", content: "!" };
const note: SessionMessage = { role: "system", content: "Interrupted" };
const result: SessionMessage = { role: "tool", content: "" };
const calls = (...outputs: unknown[]): SessionMessage => ({
  ...says,
  toolCalls: outputs.map((output, index) => ({ toolCallId: String(index), toolName: "x", input: {}, output })),
});

describe("the end of a copy", () => {
  const talk = [user, says, user, calls("a", "b"), result, result, says, note, user];

  it.each([
    [1, 1, "at the answer"],
    [3, 5, "behind the results of what it called"],
    [4, 5, "behind all of them, whichever was pointed at"],
    [2, 1, "before a prompt"],
    [7, 7, "at a notice"],
    [99, 7, "before a prompt that nobody answered"],
  ])("from message %d is %d: %s", (message, last) => {
    expect(cutPoint(talk, message)).toBe(last);
  });

  it("is never before the first answer", () => {
    expect(cutPoint(talk, 0)).toBeUndefined();
    expect(cutPoint([user, note], 1)).toBeUndefined();
  });

  it("is before an answer whose tool call has no result", () => {
    const broken = [user, says, user, calls("a", undefined), result, note, user, says];
    expect(cutPoint(broken, 3)).toBe(1);
    expect(cutPoint(broken, 5)).toBe(1);
    expect(cutPoint(broken, 7)).toBe(7);
  });
});

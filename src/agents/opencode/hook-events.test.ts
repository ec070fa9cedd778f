import { expect, test } from "vitest";
import { hookEvents } from "./hook-events.ts";

test("a permission shows the command as it will run, not the parts that were checked", () => {
  const command = "sleep 3; echo checked > checked.txt";
  const properties = {
    id: "per_1",
    sessionID: "ses_1",
    permission: "bash",
    patterns: ["sleep 3", "echo checked > checked.txt"],
    metadata: { command },
  };
  const { report } = hookEvents.read({ type: "permission.asked", properties }, undefined, {})!;
  expect(report).toEqual({ state: "permission", ask: "per_1", message: `bash: ${command}` });
});

test("a question shows its options", () => {
  const question = { question: "Which?", header: "W", multiple: true, options: [{ label: "Red" }, { label: "Blue" }] };
  const properties = { id: "q_1", sessionID: "ses_1", questions: [question] };
  const { report } = hookEvents.read({ type: "question.asked", properties }, undefined, {})!;
  expect(report).toEqual({
    state: "waiting",
    ask: "q_1",
    message: "Which?",
    options: [
      { number: "1", label: "Red" },
      { number: "2", label: "Blue" },
    ],
    several: true,
  });
});

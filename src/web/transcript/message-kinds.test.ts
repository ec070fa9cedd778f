import { expect, it } from "vitest";
import {
  apiError,
  holdsText,
  isOfKind,
  KINDS,
  subagentSession,
  withoutAttached,
  withoutVendorTags,
} from "./message-kinds.ts";

const LINES = {
  prompt: { role: "user", content: 'Say "role"' },
  edit: {
    role: "assistant",
    content: "",
    toolCalls: [{ toolCallId: "1", toolName: "Edit", input: { file_path: "a.ts", old_string: "x", new_string: "y" } }],
  },
  call: {
    role: "assistant",
    content: "",
    toolCalls: [{ toolCallId: "2", toolName: "Bash", input: { command: "ls" } }],
  },
  failed: {
    role: "tool",
    content: "no such file",
    toolResult: { toolCallId: "2", toolName: "Bash", output: "no such file", isError: true },
  },
  api: { role: "system", content: 'API Error: 529 {"type":"error","error":{"message":"Overloaded \\"now\\""}}' },
};

it.each([
  ["prompts", ["prompt"]],
  ["edits", ["edit"]],
  ["errors", ["failed", "api"]],
  ["tools", ["edit", "call", "failed"]],
] as const)("%s are %j", (kind, names) => {
  const found = Object.entries(LINES).filter(([, message]) => isOfKind(JSON.stringify(message), kind));
  expect(KINDS).toContain(kind);
  expect(found.map(([name]) => name)).toEqual(names);
});

it("a text is found in what is shown, not in the names of fields", () => {
  const holding = (text: string): string[] =>
    Object.entries(LINES).flatMap(([name, message]) => (holdsText(JSON.stringify(message), text) ? [name] : []));
  expect(holding("ROLE")).toEqual(["prompt"]);
  expect(holding("toolcallid")).toEqual([]);
  expect(holding("a.TS")).toEqual(["edit"]);
  expect(holding('say "role"')).toEqual(["prompt"]);
});

it("an error of the service is a sentence, and an agent's own tags are left out", () => {
  expect(apiError("system", LINES.api.content)).toBe('API error 529: Overloaded "now"');
  expect(apiError("assistant", `${LINES.api.content} · Try again`)).toBe('API error 529: Overloaded "now" · Try again');
  expect(apiError("system", "API Error: 500")).toBe("API Error: 500");
  expect(apiError("assistant", "All is well")).toBeUndefined();
  const delegated = '<task id="ses_1" state="completed">\n<task_result>\nfound\n</task_result>\n</task>';
  expect([subagentSession(delegated), withoutVendorTags({ role: "tool", content: delegated })]).toEqual([
    "ses_1",
    "found\n",
  ]);
  const older = "task_id: ses_1 (for resuming to continue)\n\n<task_result>\nfound\n</task_result>";
  expect(withoutVendorTags({ role: "tool", content: older })).toBe("found\n");
  const saved = "<persisted-output>\nsaved\n</persisted-output>";
  expect(withoutVendorTags({ role: "tool", content: saved })).toBe("saved\n");
});

it.each([
  ["user", "<task>Fix the login</task>"],
  ["assistant", "```xml\n<task>\n<task_result>none</task_result>\n</task>\n```"],
  ["assistant", '<task id="ses_1" state="completed">\n<task_result>\nfound\n</task_result>\n</task>'],
  ["tool", "1: <task>\n2: </task>"],
  ["tool", 'notes.xml:\n<task id="ses_1" state="completed">\n<task_result>\nfound\n</task_result>\n</task>'],
] as const)("a <task> of a %s message that no agent wrote around an answer stays: %j", (role, content) => {
  expect(withoutVendorTags({ role, content })).toBe(content);
});

it("files given with a prompt are taken out of its text, and only in front of it", () => {
  const prompt =
    '<file name="/a.txt">\nlong\ntext\n</file>\n<file name="/px.png"></file>\nWhat is this <file name="x"></file>?';
  expect(withoutAttached("user", prompt)).toEqual({
    files: [
      { path: "/a.txt", text: "long\ntext" },
      { path: "/px.png", text: "" },
    ],
    rest: 'What is this <file name="x"></file>?',
  });
  const whole = '<file name="/a.txt">never closed';
  for (const role of ["user", "assistant"] as const)
    expect(withoutAttached(role, whole)).toEqual({ files: [], rest: whole });
  expect(withoutAttached("tool", prompt).files).toEqual([]);
});

it("a text that looks like an error of the service is shown as it was written", () => {
  const damaged = 'API Error: 400 {"message":"C:\\Users\\d"}';
  expect(apiError("assistant", damaged)).toBeUndefined();
  expect(apiError("system", damaged)).toBe(damaged);
  expect(apiError("assistant", "API Error handling is done; {} holds the message")).toBeUndefined();
  expect(apiError("user", LINES.api.content)).toBeUndefined();
  expect(isOfKind(JSON.stringify({ ...LINES.api, role: "user" }), "errors")).toBe(false);
});

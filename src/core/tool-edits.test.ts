import { describe, expect, it } from "vitest";
import { editsOf, callSummary } from "./tool-edits.ts";

describe("edits in a tool's input", () => {
  it("are found under the names different agents use", () => {
    const edit = { kind: "replace", path: "a.ts", before: "x", after: "y" };
    expect(editsOf({ file_path: "a.ts", old_string: "x", new_string: "y" })).toEqual([edit]);
    expect(editsOf({ filePath: "a.ts", oldString: "x", newString: "y" })).toEqual([edit]);
    expect(editsOf({ path: "a.ts", edits: [{ oldText: "x", newText: "y" }] })).toEqual([edit]);
    expect(editsOf({ path: "a.ts", content: "whole" })).toEqual([{ kind: "write", path: "a.ts", after: "whole" }]);
    expect(editsOf("*** Begin Patch\n+x")).toEqual([{ kind: "patch", path: "", patch: "*** Begin Patch\n+x" }]);
  });

  it("are not invented", () => {
    expect(editsOf({ command: "ls" })).toEqual([]);
    expect(editsOf({ content: "a message, not a file" })).toEqual([]);
    expect(editsOf(null)).toEqual([]);
  });

  it("nested without end do not exhaust the stack", () => {
    let input: object = { oldText: "x", newText: "y" };
    for (let depth = 0; depth < 100_000; depth++) input = { path: "a.ts", edits: [input] };
    expect(editsOf(input)).toEqual([]);
  });
});

it("are summarised in one line per call", () => {
  expect(callSummary({ command: "npm test\nmore", timeout: 5 })).toBe("npm test");
  expect(callSummary({ command: ["bash", "-lc", "ls"] })).toBe("bash -lc ls");
  expect(callSummary({ todos: [] })).toBe("");
});

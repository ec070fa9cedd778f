import { describe, expect, it } from "vitest";
import type { SessionMessage } from "../core/session.ts";
import { transcriptLines } from "./transcript-lines.ts";

function shown(message: SessionMessage, isFull = false): string[] {
  return transcriptLines(message, 4, isFull).map(({ kind, text }) => `${kind}: ${text}`);
}

function edit(input: unknown): string[] {
  const toolCalls = [{ toolCallId: "1", toolName: "Edit", input }];
  return shown({ role: "assistant", content: "", toolCalls });
}

describe("a message on a terminal", () => {
  it("has the number that forks and searches use", () => {
    const timestamp = new Date(new Date().getFullYear(), 10, 5, 14, 3);
    expect(shown({ role: "assistant", content: "Done.", model: "m-1", timestamp })).toEqual([
      "assistant: #4 assistant · m-1 · 5 Nov 14:03",
      "text: Done.",
      "text: ",
    ]);
  });

  it("shows a file change as a diff with context", () => {
    const before = ["a", "b", "c", "d", "e", "f"].join("\n");
    expect(edit({ file_path: "src/x.js", old_string: before, new_string: before.replace("f", "g\nh") })).toEqual([
      "assistant: #4 assistant",
      "call: ⚒ Edit src/x.js",
      "place: ⋮",
      "same:   c",
      "same:   d",
      "same:   e",
      "removed: - f",
      "added: + g",
      "added: + h",
      "text: ",
    ]);
  });

  it("shows a patch and a new file as their lines", () => {
    expect(edit("*** Begin Patch\n@@\n-old\n+new\n same")).toContain("added: + new");
    expect(edit({ path: "new.txt", content: "one\ntwo\n" }).slice(1, 4)).toEqual([
      "call: ⚒ Edit new.txt",
      "added: + one",
      "added: + two",
    ]);
  });

  it("shows a change of very many lines", () => {
    const long = "x\n".repeat(150_000);
    expect(edit({ path: "a", old_string: `${long}y`, new_string: "z" })).toContainEqual(
      expect.stringContaining("+1 −150001 in all"),
    );
  });

  it("knows the language of code by its fence, its file, or the patch", () => {
    const code = (message: SessionMessage): (string | undefined)[] =>
      transcriptLines(message, 4).map(({ language }) => language);
    const fenced = code({ role: "user", content: "see\n```ts\nlet a;\n```\nand" });
    expect(fenced).toEqual([undefined, undefined, undefined, "ts", undefined, undefined, undefined]);
    const calls = (input: unknown): SessionMessage => ({
      role: "assistant",
      content: "",
      toolCalls: [{ toolCallId: "1", toolName: "Edit", input }],
    });
    expect(code(calls({ path: "new.py", content: "one" }))).toContain("py");
    expect(code(calls("*** Begin Patch\n*** Update File: a.rs\n@@\n-old\n+new"))).toContain("rs");
  });

  it("folds long output, and shows all of it when asked", () => {
    const content = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    const result: SessionMessage = {
      role: "tool",
      content,
      toolResult: { toolCallId: "1", toolName: "Bash", output: content, isError: true },
    };
    expect(shown(result)).toHaveLength(11);
    expect(shown(result).at(-2)).toBe("fold: … 22 more lines");
    expect(shown(result)[0]).toBe("tool: #4 tool Bash · failed");
    expect(shown(result, true)).toHaveLength(32);
  });

  it("passes no control character through", () => {
    const calls = [{ toolCallId: "1", toolName: "B\u001b[2Jash", input: { command: "echo \u001b]0;x\u0007" } }];
    const lines = shown({ role: "user", content: "a\u001b[31mb", thinking: "\u0007", toolCalls: calls });
    expect(lines.join("")).not.toMatch(/[\u0007\u001b]/);
  });
});

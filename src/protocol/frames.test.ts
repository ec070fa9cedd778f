import { expect, test } from "vitest";
import { isSize, parseClientFrame, parseServerFrame } from "./frames.ts";

const parse = (frame: unknown) => parseClientFrame(JSON.stringify(frame));

test.each([
  { _tag: "input", ptyId: "pty-1", data: "x" },
  { _tag: "resize", ptyId: "pty-1", cols: 80, rows: 24 },
  { _tag: "create", cols: 80, rows: 24, cwd: "/" },
  { _tag: "destroy", ptyId: "pty-1" },
  { _tag: "attach", ptyId: "pty-1", since: 5 },
])("published and added messages are understood: $_tag", (frame) => {
  expect(parse(frame)).toEqual({ ok: true, frame });
});

test("unknown fields are dropped, so that newer clients can talk to older runners", () => {
  const frame = { _tag: "destroy", ptyId: "pty-1" };
  expect(parse({ ...frame, later: true })).toEqual({ ok: true, frame });
});

test("an unknown tag is distinguished from a malformed frame", () => {
  expect(parse({ _tag: "teleport" })).toEqual({
    ok: false,
    unknownTag: "teleport",
    message: "The frame's tag is not known.",
  });
  expect(parse({ _tag: "resize", ptyId: "pty-1", cols: "80", rows: 24 })).toMatchObject({ ok: false });
  expect(parse({ _tag: "resize", ptyId: "pty-1", cols: 80, rows: 24.5 })).toMatchObject({ ok: false });
  expect(parse({ _tag: "resize", ptyId: "pty-1", cols: "80", rows: 24 })).not.toHaveProperty("unknownTag");
});

test.each([
  ["zero columns", { cols: 0, rows: 24 }],
  ["one column", { cols: 1, rows: 24 }],
  ["zero rows", { cols: 80, rows: 0 }],
  ["absurd columns", { cols: 100_000, rows: 24 }],
])("%s is not a valid size, but no reason to disconnect", (_, size) => {
  expect(isSize(size)).toBe(false);
  expect(parse({ _tag: "resize", ptyId: "pty-1", ...size })).toMatchObject({ ok: true });
});

test.each(["../x", "", "a b", "x".repeat(65), "a/b"])("%j is not a terminal id", (ptyId) => {
  expect(parse({ _tag: "destroy", ptyId })).toMatchObject({ ok: false });
});

test.each(["", "nonsense", "[1]", "null", '"text"', "{}", '{"_tag":5}'])("%j is not a frame", (json) => {
  expect(parseClientFrame(json)).toMatchObject({ ok: false });
  expect(parseServerFrame(json)).toMatchObject({ ok: false });
});

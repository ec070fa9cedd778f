import { expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly (string | Buffer)[], maxBytes?: number): { lines: string[]; long: number[] } {
  const [lines, long]: [string[], number[]] = [[], []];
  const splitter = new LineSplitter(
    (line) => lines.push(line),
    (bytes) => long.push(bytes),
    maxBytes,
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return { lines, long };
}

it("gives the same lines however the bytes are cut", () => {
  const text = Buffer.from('{"a":"é店👩‍🚀"}\r\n\n  \n{"b":"x\u2028y"}\nlast');
  const expected = { lines: ['{"a":"é店👩‍🚀"}', '{"b":"x\u2028y"}', "last"], long: [] };
  expect(split([text])).toEqual(expected);
  for (let size = 1; size < 8; size++) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.subarray(i * size, (i + 1) * size),
    );
    expect(split(chunks)).toEqual(expected);
  }
});

it("skips a line that is too long and continues with the next", () => {
  expect(split(["ok\n", "x".repeat(60), "x".repeat(60), "\nnext\n"], 100)).toEqual({
    lines: ["ok", "next"],
    long: [120],
  });
  expect(split(["x".repeat(200)], 100)).toEqual({ lines: [], long: [200] });
});

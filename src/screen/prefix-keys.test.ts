import { expect, test } from "vitest";
import { PrefixKeys } from "./prefix-keys.ts";

function typed(...pieces: string[]): { input: string; commands: string[] } {
  const keys = new PrefixKeys();
  const results = pieces.map((piece) => keys.push(Buffer.from(piece, "latin1")));
  return {
    input: Buffer.concat(results.map(({ input }) => input)).toString("latin1"),
    commands: results.flatMap(({ commands }) => commands),
  };
}

test.each([
  [["abc"], "abc", []],
  [["a\x02db"], "a", ["detach"]],
  [["a\x02", "d"], "a", ["detach"]],
  [["\x02\x02x"], "\x02x", []],
  [["\x02qx"], "x", []],
  [["\x02r\x02d"], "", ["redraw", "detach"]],
  [["\x1b[98;5u", "d"], "", ["detach"]],
  [["\x1b[98;5u\x1b[100u"], "", ["detach"]],
  [["\x1b[98;5u\x1b[98;5u"], "\x1b[98;5u", []],
  [["\xff\x80\x00"], "\xff\x80\x00", []],
] as [string[], string, string[]][])("%j", (pieces, input, commands) => {
  expect(typed(...pieces)).toEqual({ input, commands });
});

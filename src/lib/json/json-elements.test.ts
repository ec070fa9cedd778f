import { describe, expect, it } from "vitest";
import { JsonElements } from "./json-elements.ts";

function read(
  json: string,
  cut: readonly number[],
  arrays: string[],
): { elements: [string, unknown][]; rest: unknown } {
  const elements: [string, unknown][] = [];
  const reader = new JsonElements({
    arrays,
    maxCharacters: 100_000,
    onElement: (array, text) => elements.push([array, JSON.parse(text)]),
  });
  let from = 0;
  for (const to of [...cut.map((at) => at % (json.length + 1)), json.length].sort((a, b) => a - b)) {
    reader.push(json.slice(from, to));
    from = to;
  }
  return { elements, rest: JSON.parse(reader.end()) };
}

describe("JsonElements", () => {
  it("emits the elements of the named arrays, and the rest with these empty", () => {
    const json = JSON.stringify({
      ok: true,
      data: { summary: { requests: [1] }, requests: [{ a: 'x,]}\\"' }, [2], "three"], dropped: [], "a.b": [7] },
      requests: [9],
    });
    expect(read(json, [], ["data.requests", "data.dropped"])).toEqual({
      elements: [
        ["data.requests", { a: 'x,]}\\"' }],
        ["data.requests", [2]],
        ["data.requests", "three"],
      ],
      rest: { ok: true, data: { summary: { requests: [1] }, requests: [], dropped: [], "a.b": [7] }, requests: [9] },
    });
  });

  it("does so wherever the text is split, with any white space", () => {
    const other = { list: ["[", { 'a"b\\': "}\\" }], text: 'é"\u2028\\', none: null };
    const list = [[], {}, [[other]], "", "]", 'a\\"', -1.5e3, true, null, other, { list: [1, 2] }];
    for (const space of [undefined, 1, "\t"]) {
      const json = JSON.stringify({ ok: other, data: { list, more: other } }, undefined, space);
      const whole = JSON.stringify({
        elements: list.map((value) => ["data.list", value]),
        rest: { ok: other, data: { list: [], more: other } },
      });
      const places = Array.from(json, (_, at) => at);
      for (const cut of [places, ...places.map((at) => [at, at + 1, at + 7])]) {
        if (JSON.stringify(read(json, cut, ["data.list"])) !== whole) expect.fail(`torn at ${cut.join(", ")}`);
      }
    }
  });

  it("reads an array that is the answer itself, and refuses an endless one", () => {
    expect(read('{"data":[1, 2]}', [9], ["data"]).elements).toEqual([
      ["data", 1],
      ["data", 2],
    ]);
    const reader = new JsonElements({ arrays: ["data"], maxCharacters: 20, onElement: () => undefined });
    reader.push('{"data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,');
    expect(() => reader.push(`"${"x".repeat(30)}`)).toThrow("too long");
  });
});

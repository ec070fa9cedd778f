import { expect, it } from "vitest";
import { castLines, parseCast } from "../../protocol/cast.ts";
import { CastTimeline } from "./cast-timeline.ts";

const HEADER = '{"version":2,"width":80,"height":24}';

it("shortens pauses, and finds what was shown by a time", () => {
  const cast = parseCast(`${HEADER}\n[0.5,"o","a"]\n[600,"o","b"]\n[600.25,"r","100x30"]\n[601,"o","c"]\n`)!;
  const line = new CastTimeline(cast);
  expect(line.events.map(({ at }) => at)).toEqual([0.5, 2.5, 2.75, 3.5]);
  expect(line.length).toBe(3.5);
  expect([0, 0.5, 2.4, 2.5, 99].map((at) => line.countUntil(at))).toEqual([0, 1, 1, 2, 4]);
});

it("an empty recording has no length", () => {
  const line = new CastTimeline(parseCast(HEADER)!);
  expect([line.length, line.countUntil(1)]).toEqual([0, 0]);
});

it("what is not an event is left out: a cut line, input, wrong sizes, times that go back", () => {
  const lines = [
    HEADER,
    '[1,"o","a"]',
    '[0,"o","b"]',
    '[2,"i","typed"]',
    '[3,"r","0x5"]',
    '[4,"r","99999x5"]',
    '[null,"o","c"]',
    "{}",
    '[5,"o",',
  ];
  const cast = parseCast(lines.join("\n"))!;
  expect(cast.events).toEqual([
    { at: 1, kind: "o", text: "a" },
    { at: 1, kind: "o", text: "b" },
  ]);
  expect([...castLines(cast)].join("")).toBe(`${HEADER}\n[1,"o","a"]\n[1,"o","b"]\n`);
  for (const text of ["", "{}", "null", '{"version":3,"width":80,"height":24}', '{"version":2,"width":"80"}'])
    expect(parseCast(text)).toBeUndefined();
});

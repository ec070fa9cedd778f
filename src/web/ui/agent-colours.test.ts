import { afterEach, expect, it } from "vitest";
import { agents, type Agent } from "../state/agents.ts";
import { areaColour, colourOf } from "./agent-colours.ts";

afterEach(() => {
  agents.value = new Map();
});

it("no two of twenty agents have similar colours", () => {
  const names = Array.from({ length: 20 }, (_, at) => `agent-${at}`);
  agents.value = new Map(names.map((name) => [name, { name } as Agent]));
  const similar = names.flatMap((one, at) =>
    names.slice(at + 1).filter((other) => {
      const [a, b] = [colourOf(one), colourOf(other)];
      const apart = Math.abs(a.hue - b.hue);
      return a.isDeep === b.isDeep && Math.min(apart, 360 - apart) < 30;
    }),
  );
  expect(similar).toEqual([]);
});

it("agents of one hue differ in lightness", () => {
  for (const dark of [true, false]) {
    expect(areaColour({ hue: 20, isDeep: true }, dark)).not.toBe(areaColour({ hue: 20, isDeep: false }, dark));
  }
});

it("an unknown agent has a colour too", () => {
  expect(colourOf("nobody").hue).toBeGreaterThanOrEqual(0);
});

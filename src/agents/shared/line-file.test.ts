import { expect, it } from "vitest";
import { madeHome, writeIn } from "../../../test/support/agents/made-home.ts";
import { seeEdges } from "./line-file.ts";

it("a file in which nothing is enough gives each of its lines once", () => {
  const lines = Array.from({ length: 300 }, (_, index) => `{"number":${index},"text":"${"x".repeat(1000)}"}`);
  const path = writeIn(madeHome(), "long.jsonl", `${lines.join("\n")}\n`);
  const seen: string[] = [];
  expect(
    seeEdges(
      path,
      (line) => seen.push(line.toString()),
      () => false,
    ),
  ).toBe(false);
  expect(seen).toEqual(lines);
});

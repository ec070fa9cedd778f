import { expect, it } from "vitest";
import { AgentMuxError } from "../../core/errors.ts";
import { anchorAt } from "./anchor.ts";
import { placesNow } from "./places.ts";

const LINES = Array.from({ length: 100 }, (_, at) => `this is line ${at}`);

function comment(file: string, line: number, side: "new" | "old" = "new") {
  return { root: "/shop", file, side, anchor: anchorAt(LINES, line, 1) };
}

it("many comments on one file do not read it many times", () => {
  const reads: string[] = [];
  const placeOf = placesNow((_, file) => {
    reads.push(file);
    if (file === "refused") throw new AgentMuxError("VALIDATION_ERROR", "is not a text file");
    return file === "gone" ? undefined : ["a new first line", ...LINES];
  });
  for (const line of [5, 50, 80, 5]) expect(placeOf(comment("a.ts", line))).toEqual({ kind: "moved", line: line + 1 });
  for (const line of [1, 2]) {
    expect(placeOf(comment("gone", line))).toEqual({ kind: "gone" });
    expect(placeOf(comment("refused", line))).toEqual({ kind: "unread" });
    expect(placeOf(comment("b.ts", line, "old"))).toEqual({ kind: "removed" });
  }
  expect(reads).toEqual(["a.ts", "gone", "refused"]);
});

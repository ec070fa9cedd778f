import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { recordIds } from "./record-ids.ts";

const MARK = '"uuid":"';

/** By the same rules, as texts. */
function idsOf(text: string, mark: string): Set<string> {
  const ids = new Set<string>();
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
    const start = at + mark.length;
    const end = text.indexOf('"', start);
    if (end - start >= 16 && end - start < 128 - mark.length) ids.add(text.slice(start, end));
  }
  return ids;
}

/** Numbers below a limit, the same in every run. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Lines with ids that occur again, ids that are too short or too long, keys that are cut off, and much else. */
function someText(below: (limit: number) => number, bytes: number): string {
  const pieces: string[] = [];
  let length = 0;
  while (length < bytes) {
    const id = `${"0123456789abcdef".repeat(9).slice(0, below(140))}${below(30_000)}`;
    const key = ["uuid", "id", "uui", "parentUuid"][below(4)]!;
    const piece = `{"${key}":"${id}${below(9) === 0 ? "" : '"'},"text":"${'ü\\"u'.repeat(below(40))}"}\n`;
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join("");
}

describe("ids that files have in common", () => {
  it("are those that their texts have in common, wherever a piece that is read ends", () => {
    const home = tempHome().path;
    const below = randomNumbers(11);
    const texts = [0, 40, 3000, 250_000, 262_144, 300_000, 3_000_000].map((bytes) => someText(below, bytes));
    const paths = texts.map((text, index) => {
      const path = join(home, `${index}.jsonl`);
      writeFileSync(path, text);
      return path;
    });
    for (const mark of [MARK, '"id":"']) {
      const records = recordIds();
      const found = paths.map((path) => records.idsIn(path, mark));
      const expected = texts.map((text) => idsOf(Buffer.from(text).toString("latin1"), mark));
      expect(found.map(({ from, to }) => to - from)).toEqual(expected.map((ids) => ids.size));
      // More than the table begins with.
      expect(expected.at(-1)!.size).toBeGreaterThan(2048);
      for (const [i, a] of expected.entries()) {
        const shared = expected.map((b) => [...b].filter((id) => a.has(id)).length);
        expect(found.map((set) => records.sharedCount(found[i]!, set))).toEqual(shared);
      }
    }
  });

  it("are none in a file that is not there", () => {
    const records = recordIds();
    const { from, to } = records.idsIn(join(tempHome().path, "gone.jsonl"), MARK);
    expect(to - from).toBe(0);
  });
});

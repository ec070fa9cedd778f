import { describe, expect, it } from "vitest";
import { homeAt, tempHome } from "../../../test/support/temp-home.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { lineage } from "./lineage.ts";

interface Made {
  name: string;
  uuids: readonly string[];
  replies: readonly string[];
}

/** A seeded generator of numbers below a limit. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const idOf = (word: string, number: number): string => `${word}-0000-0000-${String(number).padStart(8, "0")}`;

/** Each session continues part of an older one, some with new ids, some with two parents. */
function someFamily(below: (limit: number) => number, size: number): Made[] {
  const family: Made[] = [];
  let last = 0;
  const fresh = (word: string): string[] => Array.from({ length: below(4) }, () => idOf(word, ++last));
  for (let number = 0; number < size; number++) {
    const parents = family.length === 0 ? [] : [family[below(family.length)]!, family[below(family.length)]!];
    const kept = parents.slice(0, below(8) === 0 ? 2 : 1);
    const part = (ids: readonly string[]): readonly string[] => ids.slice(0, below(ids.length + 1) + below(9));
    const keepsRecords = below(5) > 0;
    family.push({
      name: `s${String(number).padStart(4, "0")}`,
      uuids: [...new Set([...(keepsRecords ? kept.flatMap(({ uuids }) => part(uuids)) : []), ...fresh("uuid")])],
      replies: [...new Set([...kept.flatMap(({ replies }) => part(replies)), ...fresh("reply")])],
    });
  }
  return family;
}

function written(path: string, family: readonly Made[]): { source: SessionSource; head: SessionHead }[] {
  const home = homeAt(path);
  return family.map(({ name, uuids, replies }, number) => {
    const lines = [...uuids.map((uuid) => `{"uuid":"${uuid}"}`), ...replies.map((id) => `{"message":{"id":"${id}"}}`)];
    const file = home.write(`${name}.jsonl`, `${lines.join("\n")}\n`);
    const source = { sessionId: name, path: file } as SessionSource;
    return { source, head: { startedMs: number } as SessionHead };
  });
}

/** The reference: compares every pair. */
function slowLineage(family: readonly Made[]): Map<string, string> {
  const parents = new Map<string, string>();
  family.forEach((own, index) => {
    const nearest = (field: "uuids" | "replies"): string | undefined => {
      let parent: string | undefined;
      let most = 0;
      for (const other of family.slice(0, index)) {
        const shared = own[field].filter((id) => other[field].includes(id)).length;
        if (shared > most) [parent, most] = [other.name, shared];
      }
      return parent;
    };
    const parent = nearest("uuids") ?? nearest("replies");
    if (parent !== undefined) parents.set(own.name, parent);
  });
  return parents;
}

describe("parents of forks", () => {
  it("share the most records, as counted for every pair", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const family = someFamily(randomNumbers(seed), 2 + seed);
      expect(lineage(written(tempHome().path, family)), `seed ${seed}`).toEqual(slowLineage(family));
    }
  });
});

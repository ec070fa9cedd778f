import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { cutPaths, PathSweep, wholePaths } from "./path-sweep.ts";

describe("paths that are cut", () => {
  it("are whole again, whatever bytes of their letters they share", () => {
    const paths = ["/a/ü", "/a/û", "/a/u", "/a/u", "/検索/a", "/検策/b", "", "/a/ü/û", "/"];
    expect(wholePaths(cutPaths(paths))).toEqual(paths);
    expect(wholePaths(cutPaths(["/a/b", "/a/bc", "/a"]))).toEqual(["/a/b", "/a/bc", "/a"]);
    expect(wholePaths(cutPaths([]))).toEqual([]);
  });
});

describe("a sweep over paths", () => {
  let root: string;
  let paths: string[];
  const NOTHING = [-1, -1, -1];

  const stampOf = (path: string): number[] => {
    const stat = path.includes("below") ? undefined : statSync(path, { throwIfNoEntry: false });
    return stat ? [stat.ino, stat.size, stat.mtimeMs] : NOTHING;
  };

  /** By number: those that are not as they were, and whether they are gone. */
  function changes(stamps: readonly (readonly number[])[]): [number, boolean][] {
    const sweep = new PathSweep(cutPaths(paths), Float64Array.from(stamps.flat()));
    const found: [number, boolean][] = [];
    while (sweep.done < sweep.length) for (const { number, isGone } of sweep.goOn()) found.push([number, isGone]);
    return found;
  }

  beforeEach(() => {
    root = tempHome().path;
    const deep = join(root, ...Array.from({ length: 4 }, (_, part) => String(part).repeat(200)));
    mkdirSync(deep, { recursive: true });
    paths = ["a", "検索.jsonl", "検策.jsonl", "ab", "nothing", "b"].map((name) => join(root, name));
    paths.splice(3, 0, join(deep, "file.jsonl"), root, join(root, "a/below-a-file"));
    for (const path of paths) if (!/nothing|below/.test(path) && path !== root) writeFileSync(path, "text");
  });

  it("finds nothing where all is as it was", () => {
    expect(changes(paths.map(stampOf))).toEqual([]);
  });

  it("finds what has another number, size or time, what came and what went", () => {
    const stamps = paths.map(stampOf);
    for (const part of [0, 1, 2]) {
      const other = paths.map((path) => stampOf(path).map((value, at) => (at === part ? value + 1 : value)));
      const known = stamps.map((stamp, number) => (stamp[0] === -1 ? stamp : other[number]!));
      const there = [...stamps.entries()].filter(([, [ino]]) => ino !== -1).map(([number]) => [number, false]);
      expect(changes(known)).toEqual(there);
    }
    const [gone, came] = [paths.indexOf(join(root, "nothing")), paths.indexOf(join(root, "ab"))];
    expect(changes(stamps.with(gone, [7, 7, 7]).with(came, NOTHING))).toEqual([
      [came, false],
      [gone, true],
    ]);
    appendFileSync(paths[3]!, "more");
    expect(changes(stamps)).toEqual([[3, false]]);
  });

  it("goes over more than it takes at once", () => {
    const rounds = 300;
    paths = Array.from({ length: rounds }, () => paths).flat();
    const stamps = paths.map(stampOf);
    expect(changes(stamps)).toEqual([]);
    appendFileSync(paths[3]!, "more");
    const each = paths.length / rounds;
    expect(changes(stamps)).toEqual(Array.from({ length: rounds }, (_, round) => [3 + each * round, false]));
  });
});

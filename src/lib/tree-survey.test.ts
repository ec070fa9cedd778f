import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { fileStat, filesBelow, SETTLING_MS, witnessed, type Sights } from "./directory.ts";
import { markOf, type TreeMark } from "./tree-mark.ts";
import { changesSince } from "./tree-survey.ts";
import { DEADLINE_MS } from "../../test/support/deadline.ts";

/** Names that a pattern or a line of text would not take for themselves. */
const ODD = "a [b]*? \\ \n ü";

describe("a survey", () => {
  const look = (...roots: string[]): Sights =>
    witnessed(() => {
      for (const root of roots) filesBelow(root, (name) => name.endsWith(".jsonl"));
      fileStat(`${roots[0]}-other.json`);
    }).seen;

  async function settled(...roots: string[]): Promise<TreeMark> {
    return vi.waitFor(
      () => {
        const seen = look(...roots);
        expect(seen.newest!.ctimeMs).toBeLessThan(seen.startedMs - SETTLING_MS);
        return markOf(seen)!;
      },
      { timeout: DEADLINE_MS },
    );
  }

  function tree(home: string, name: string): string {
    const root = join(home, name);
    mkdirSync(join(root, ODD), { recursive: true });
    writeFileSync(join(root, ODD, "1.jsonl"), "{}\n");
    return root;
  }

  it("looks at several trees from a moment of each", async () => {
    const home = tempHome().path;
    const first = tree(home, `first ${ODD}`);
    const before = await settled(first);
    appendFileSync(join(first, ODD, "1.jsonl"), "{}\n");
    const second = tree(home, "second");
    const after = await settled(second);
    appendFileSync(join(second, ODD, "1.jsonl"), "{}\n");
    const grown = (root: string): unknown => {
      const path = join(root, ODD, "1.jsonl");
      return { path, stat: fileStat(path), isDirectory: false };
    };
    const both = [[grown(first)], [grown(second)]];
    expect(await changesSince([before, after], 0)).toEqual(both);
    expect(await changesSince([after, before], 0)).toEqual(both.toReversed());
    const later = await settled(first);
    expect(await changesSince([later, after], 0)).toEqual([[], both[1]]);
  });

  it("looks at what lies elsewhere, there or not", async () => {
    const root = tree(tempHome().path, "root");
    const mark = await settled(root);
    writeFileSync(`${root}-other.json`, "{}");
    const path = `${root}-other.json`;
    expect(await changesSince([mark], 0)).toEqual([[{ path, stat: fileStat(path), isDirectory: false }]]);
  });

  it.each<[string, (root: string) => void]>([
    ["another tree is in its place", (root) => cpSync(join(dirname(root), "spare"), root, { recursive: true })],
    ["there is none any more", () => undefined],
    ["a file is in its place", (root) => writeFileSync(root, "")],
  ])("does not know when %s", async (_, replace) => {
    const home = tempHome().path;
    const [root, spare] = [tree(home, "root"), tree(home, "spare")];
    const mark = await settled(root);
    rmSync(root, { recursive: true });
    replace(root);
    expect(await changesSince([mark, await settled(spare)], 0)).toEqual([undefined, []]);
  });

  it("does not know when what was changed last is gone", async () => {
    const root = tree(tempHome().path, "root");
    const last = join(root, "last.jsonl");
    writeFileSync(last, "{}\n");
    await settled(root);
    appendFileSync(last, "{}\n");
    const mark = await settled(root);
    expect(mark.witness).toBe(last);
    renameSync(last, join(root, "other.jsonl"));
    expect(await changesSince([mark], 0)).toEqual([undefined]);
  });

  it("does not begin in the future", async () => {
    const mark = await settled(tree(tempHome().path, "root"));
    expect(await changesSince([{ ...mark, since: `${Date.now() + 1000}.000000000` }], 0)).toEqual([undefined]);
  });

  it("leaves small trees to whoever asks", async () => {
    expect(await changesSince([await settled(tree(tempHome().path, "root"))])).toEqual([undefined]);
  });

  it("is not made of trees with links to elsewhere, but where a link leads to the tree", async () => {
    const home = tempHome().path;
    const root = tree(home, "root");
    symlinkSync(root, join(home, "link"));
    expect(await changesSince([await settled(join(home, "link"))], 0)).toEqual([[]]);
    symlinkSync(join(root, ODD, "1.jsonl"), join(root, "2.jsonl"));
    expect(markOf(look(root))).toBeUndefined();
  });
});

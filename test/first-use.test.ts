/** What the build does to bundles so that their modules are evaluated at first use: they have to mean what they meant. */
import { build } from "esbuild";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { evaluatedAtFirstUse } from "../scripts/first-use.mjs";
import { loadable } from "../scripts/loadable.mjs";
import { tempHome } from "./support/temp-home.ts";

interface Program {
  main(): Promise<unknown>;
}

/** `main.ts` and what it imports, with and without; `evaluated` is for them to write in. */
async function programsOf(files: Record<string, string>): Promise<{ evaluated: string[]; program: Program }[]> {
  const home = tempHome();
  for (const [name, text] of Object.entries(files)) home.write(name, text);
  const { outputFiles, metafile } = await build({
    entryPoints: ["main.ts"],
    absWorkingDir: home.path,
    bundle: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "node",
    supported: { "dynamic-import": false },
  });
  const text = outputFiles[0]!.text;
  return [text, evaluatedAtFirstUse(text, Object.keys(metafile.inputs))].map((bundle) => {
    const evaluated: string[] = [];
    const module = { exports: {} as Program };
    runInNewContext(loadable(bundle), { evaluated })(module.exports, createRequire(import.meta.url), module);
    return { evaluated, program: module.exports };
  });
}

/** What both give, as texts; objects of theirs are of other classes than ours. */
async function answersOf(files: Record<string, string>): Promise<string[]> {
  const programs = await programsOf(files);
  return Promise.all(programs.map(async ({ program }) => JSON.stringify(await program.main())));
}

const MAIN = `export async function main() { return (await import("./all.ts")).all(); }`;

describe("a module of a bundle", () => {
  it("is evaluated when something of it is used, and not at all when nothing is", async () => {
    const [usual, lazy] = await programsOf({
      "main.ts": `export async function main() { return import("./all.ts"); }`,
      "all.ts": `
        import { used } from "./used.ts";
        import { unused } from "./unused.ts";
        import { Base } from "./base.ts";
        import "./active.ts";
        class Derived extends Base {}
        evaluated.push("all");
        export const all = (isAsked) => [isAsked ? unused() : used(), new Derived().name];`,
      "used.ts": `const at = evaluated.push("used"); export function used() { return at > 0; }`,
      "unused.ts": `const at = evaluated.push("unused"); export function unused() { return at > 0; }`,
      "base.ts": `const at = evaluated.push("base"); export class Base { name = "base"; }`,
      "active.ts": `evaluated.push("active");`,
    });
    await usual!.program.main();
    expect(usual!.evaluated).toEqual(["used", "unused", "base", "active", "all"]);
    const { all } = (await lazy!.program.main()) as { all: (isAsked?: boolean) => unknown };
    expect(lazy!.evaluated).toEqual(["active", "base", "all"]);
    expect(JSON.stringify([all(), all()])).toBe('[[true,"base"],[true,"base"]]');
    expect(lazy!.evaluated).toEqual(["active", "base", "all", "used"]);
  });

  it("gives what it would give", async () => {
    const [usual, lazy] = await answersOf({
      "main.ts": MAIN,
      "all.ts": `
        import { NONE, LIMIT as limit, FALSE, counted, count, Thing, tag, table, later, sequence } from "./things.ts";
        import * as things from "./things.ts";
        class Holder { own = LIMITS(); static all = [limit]; [tag\`key\`] = 1; get value() { return count; } }
        function LIMITS({ most = limit, NONE: none = NONE } = {}) { return { most, none, FALSE, limit }; }
        async function waited() { const got = []; for await (const one of sequence()) got.push(one); return got; }
        export async function all() {
          count: for (;;) { counted(); break count; }
          const thing = new Thing(limit);
          return [NONE, { NONE, limit }, count, thing.twice(), thing instanceof Thing, tag\`a\${NONE}b\`, table[limit], typeof later,
            new Holder(), new Holder().value, Holder.all, LIMITS(), Object.keys(things).sort(), things.count, counted?.(), await waited()];
        }`,
      "things.ts": `
        export const NONE = 0, LIMIT = 7, FALSE = false;
        export let count = 0, later;
        export function counted() { return ++count; }
        export class Thing { #size; constructor(size) { this.#size = size; } twice() { return double(this.#size); } }
        export const tag = (parts, ...values) => parts.join("-") + values;
        export const table = { [LIMIT]: tag\`seven\` };
        export async function* sequence() { yield LIMIT; yield NONE; }
        function double(size) { return 2 * size; }`,
    });
    expect(lazy).toBe(usual);
  });

  it("has its functions ready for what it imports and is imported by", async () => {
    const [usual, lazy] = await answersOf({
      "main.ts": MAIN,
      "all.ts": `import { ten, five } from "./other.ts"; export function half(size) { return size / 2; } export const all = () => [ten, five()];`,
      "other.ts": `import { half } from "./all.ts"; export const ten = half(20); export const five = () => half(ten);`,
    });
    expect([usual, lazy]).toEqual(["[10,5]", "[10,5]"]);
  });

  it("that cannot be evaluated says so to everybody who imports it", async () => {
    const [, lazy] = await programsOf({
      "main.ts": MAIN,
      "all.ts": `const none = undefined; export const name = none.name; export const all = () => name;`,
    });
    await expect(lazy!.program.main()).rejects.toThrow("of undefined");
    await expect(lazy!.program.main()).rejects.toThrow("of undefined");
  });
});

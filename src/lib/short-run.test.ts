/** In processes of their own: flags of V8 are those of a whole process. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const MODULE = fileURLToPath(new URL("short-run.ts", import.meta.url));
let bundle = "";

beforeAll(() => {
  const options = { bundle: true, platform: "node", format: "cjs", write: false } as const;
  bundle = buildSync({ entryPoints: [MODULE], ...options }).outputFiles[0]!.text;
});

/** What a program prints that has the module twice, as two bundles have it. */
function printedBy(program: string, ...flags: string[]): string {
  const load = `const load = () => { const module = { exports: {} }; new Function("module", "exports", "require", ${JSON.stringify(bundle)})(module, module.exports, require); return module.exports; };`;
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, "-e", `${load}\n${program}`], {
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.trim();
}

/** How often V8 collects young memory while much of it survives, and how many functions it optimises. */
const WORK = `
  const { performance, PerformanceObserver, constants } = require("node:perf_hooks");
  let collections = 0;
  new PerformanceObserver((list) => { collections += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MINOR).length; }).observe({ entryTypes: ["gc"] });
  const kept = [];
  for (let i = 0; i < 600_000; i++) kept.push({ i, text: [i] });
  setTimeout(() => console.log(collections), 20);
`;

/** Enough for V8 to optimise a function by default, and too little when it waits 15 times as long. */
const HOT = `
  function hot(a) { let sum = 0; for (let i = 0; i < 100; i++) sum += a ^ i; return sum; }
  for (let turn = 0; turn < 150; turn++) hot(turn);
  console.log("done");
`;

/** A loop in WebAssembly, run for long enough that V8 optimises it by default. */
const LOOP = "AGFzbQEAAAABBgFgAX8BfwMCAQAHBQEBZgAAChIBEAADQCAAQQFrIgANAAsgAAs=";
const LOOPING = `
  const compile = () => new WebAssembly.Module(Buffer.from("BYTES", "base64"));
  new WebAssembly.Instance(HOW).exports.f(100_000_000);
  setTimeout(() => console.log("done"), 200);
`;

describe("a short run", () => {
  it("optimises no WebAssembly of which it makes little use, and all other", () => {
    const compiled = (how: string, isForLittle: boolean): string =>
      printedBy(
        `const run = load(); run.beShort({ collectsLate: false, isForLittle: ${isForLittle} });${LOOPING.replace("BYTES", LOOP).replace("HOW", how)}`,
        "--trace-wasm-compilation-times",
      );
    expect(compiled("compile()", true)).toMatch(/turbofan/i);
    expect(compiled("run.compiledForLittle(compile)", false)).toMatch(/turbofan/i);
    // A module that is compiled later is as usual.
    expect(
      compiled(
        "(run.compiledForLittle(() => new WebAssembly.Module(Buffer.from('AGFzbQEAAAA=', 'base64'))), compile())",
        true,
      ),
    ).toMatch(/turbofan/i);
    const isKnown = Number.parseInt(process.versions.v8, 10) < 12;
    if (isKnown) expect(compiled("run.compiledForLittle(compile)", true)).not.toMatch(/turbofan/i);
  });

  it("collects young memory less often, if it is told that memory may grow", () => {
    const late = Number(printedBy(`load().beShort({ collectsLate: true });${WORK}`));
    const isKnown = Number.parseInt(process.versions.v8, 10) < 12;
    for (const program of [WORK, `load().beShort({ collectsLate: false });${WORK}`]) {
      if (isKnown) expect(late).toBeLessThan(Number(printedBy(program)));
    }
  });

  it("optimises later", () => {
    const optimised = (program: string): boolean => /marking .*<JSFunction hot/.test(printedBy(program, "--trace-opt"));
    expect(optimised(HOT)).toBe(true);
    expect(optimised(`load().beShort({ collectsLate: false });${HOT}`)).toBe(false);
  });

  it("is as usual again for a thread that starts, also in another bundle", () => {
    const toldTwice =
      "const [one, two] = [load(), load()]; one.beShort({ collectsLate: true }); console.log(two.beUsual());";
    expect(printedBy(toldTwice)).toBe("true");
    const usual = `load().beShort({ collectsLate: true }); load().beUsual();`;
    expect(printedBy(`${usual}${HOT}`, "--trace-opt")).toMatch(/marking .*<JSFunction hot/);
    const late = Number(printedBy(`load().beShort({ collectsLate: true });${WORK}`));
    if (Number.parseInt(process.versions.v8, 10) < 12)
      expect(Number(printedBy(`${usual}${WORK}`))).toBeGreaterThan(late);
  });

  it("has nothing to be made usual where it never was short, or its memory is collected as ever", () => {
    expect(printedBy("console.log(load().beUsual())")).toBe("false");
    expect(printedBy("load().beShort({ collectsLate: false }); console.log(load().beUsual())")).toBe("false");
  });

  it("does a little work with WebAssembly that is not optimised, and goes on as before", () => {
    // V8 tells all of its flags as they are, and ends the process.
    const flags = 'require("node:v8").setFlagsFromString("--help");';
    const during = "load().littleWork(async () => { %FLAGS% return 7; })".replace("%FLAGS%", flags);
    const isOptimising = (text: string): boolean => /default: --wasm-dynamic-tiering/.test(text);
    const isKnown = Number.parseInt(process.versions.v8, 10) < 12;
    const short = "load().beShort({ collectsLate: true });";
    expect(isOptimising(printedBy(`${short} void ${during};`))).toBe(!isKnown);
    expect(isOptimising(printedBy(`void ${during};`))).toBe(true);
    const after = "load().littleWork(async () => 7).then";
    expect(isOptimising(printedBy(`${short} void ${after}(() => { ${flags} });`))).toBe(true);
    expect(printedBy(`${short} void ${after}(console.log);`)).toBe("7");
  });
});

/** In processes of their own, with a program in a file: flags of V8 are those of a whole process, and code is kept beside a program. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom } from "../../test/support/damaged-file.ts";
import { tempHome } from "../../test/support/temp-home.ts";

/** Exports `add`, which gives its two arguments and a number together; modules with different numbers are of one length. */
function adding(number: number): string {
  const bytes = [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    [1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f],
    [3, 2, 1, 0],
    [7, 7, 1, 3, 0x61, 0x64, 0x64, 0, 0],
    [10, 12, 1, 10, 0, 0x20, 0, 0x20, 1, 0x6a, 0x41, number, 0x6a, 0x0b],
  ];
  return Buffer.from(bytes.flat()).toString("base64");
}

/** Prints what the module adds 2 and 3 to. */
const PROGRAM = `
  import { withPlainWasm } from "./compile-later.ts";
  import { beShort } from "./short-run.ts";
  import { compileOptimised, withOptimisedWasm } from "./optimised-wasm.ts";
  import { instantiateWasm } from "./wasm.ts";
  const [module, way] = process.argv.slice(2);
  if (way === "little") beShort({ collectsLate: false, isForLittle: true });
  else if (way !== "long") beShort({ collectsLate: true });
  const work = async () => instantiateWasm(compileOptimised(module)).add(2, 3);
  const doing = { usual: (act) => act(), little: (act) => act(), whole: withOptimisedWasm };
  (doing[way] ?? withPlainWasm)(work).then(console.log);
`;

const isTried = process.versions.v8.startsWith("11.3.");

class Program {
  readonly #home = tempHome();
  readonly directory = this.#home.path;
  readonly #path: string;

  constructor(name = "program.cjs") {
    this.#path = join(this.directory, name);
    const { outputFiles } = buildSync({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname, loader: "ts" },
      ...({ bundle: true, platform: "node", format: "cjs", write: false } as const),
      define: { "import.meta.filename": "__filename" },
    });
    writeFileSync(this.#path, outputFiles[0]!.contents);
  }

  run(module: string, way = "short"): string {
    const { stdout, stderr, status } = spawnSync(process.execPath, [this.#path, module, way], { encoding: "utf8" });
    if (status !== 0 || stderr !== "") throw new Error(`ended with ${status}: ${stderr}`);
    return stdout.trim();
  }

  get kept(): string[] {
    return readdirSync(this.directory).filter((name) => name.endsWith(".optimised"));
  }

  get keptPath(): string {
    return join(this.directory, this.kept[0]!);
  }
}

describe("optimised WebAssembly", () => {
  it("is kept beside the program by its first short run, and taken by the next", () => {
    const program = new Program();
    expect(program.run(adding(7))).toBe("12");
    expect(program.kept.length).toBe(isTried ? 1 : 0);
    if (!isTried) return;
    const { mtimeMs, mode } = statSync(program.keptPath);
    expect(mode & 0o777).toBe(0o600);
    expect(program.run(adding(7))).toBe("12");
    expect(statSync(program.keptPath).mtimeMs).toBe(mtimeMs);
  });

  it("is the same for work of which much is done by it as for a little", () => {
    if (!isTried) return;
    for (const [first, next] of [
      ["short", "whole"],
      ["whole", "short"],
      ["whole", "whole"],
    ]) {
      const program = new Program();
      expect(program.run(adding(7), first)).toBe("12");
      const { mtimeMs } = statSync(program.keptPath);
      expect(program.run(adding(7), next)).toBe("12");
      expect(statSync(program.keptPath).mtimeMs).toBe(mtimeMs);
    }
  });

  it("is kept and taken by a process that repeats little, whatever it does", () => {
    if (!isTried) return;
    const program = new Program();
    expect(program.run(adding(7), "little")).toBe("12");
    const { mtimeMs } = statSync(program.keptPath);
    expect(program.run(adding(7), "little")).toBe("12");
    expect(statSync(program.keptPath).mtimeMs).toBe(mtimeMs);
  });

  it("is not another module's of the same length", () => {
    const program = new Program();
    expect(program.run(adding(7))).toBe("12");
    expect(program.run(adding(9))).toBe("14");
    expect(program.run(adding(7))).toBe("12");
  });

  it("is made anew where what was kept is not as it was written", () => {
    const program = new Program();
    program.run(adding(7));
    if (!isTried) return;
    const sound = readFileSync(program.keptPath);
    const random = randomFrom(11);
    const cuts = [0, 12, 40, sound.length - 1].map((length) => sound.subarray(0, length));
    for (const kept of [...cuts, ...Array.from({ length: 8 }, () => damaged(sound, random))]) {
      writeFileSync(program.keptPath, kept);
      expect(program.run(adding(7))).toBe("12");
      expect(readFileSync(program.keptPath).length).toBe(sound.length);
    }
  });

  it("is left alone where the run is not short, or goes on for long", () => {
    const program = new Program();
    expect(program.run(adding(7), "long")).toBe("12");
    expect(program.run(adding(7), "usual")).toBe("12");
    expect(program.kept).toEqual([]);
  });

  it("is done without where nothing can be written", () => {
    // With what is added to it, longer than a file's name can be.
    const program = new Program(`${"program".repeat(34)}.cjs`);
    expect(program.run(adding(7))).toBe("12");
    expect(program.kept).toEqual([]);
  });
});

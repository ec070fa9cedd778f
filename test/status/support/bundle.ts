/** Bundles one of our TypeScript files for plain Node, as the build does. */
import { buildSync } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll } from "vitest";

/** Call it outside of tests; the program is removed after the file's last test. */
export function bundle(entry: string): string {
  const directory = mkdtempSync(join(tmpdir(), "amux-bundle-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const outfile = join(directory, `${basename(entry, ".ts")}.cjs`);
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", target: "node20", format: "cjs" });
  return outfile;
}

/** Builds the program before the tests that run it, when a source is newer than the build. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export default function setup(): void {
  const script = `import(${JSON.stringify(join(import.meta.dirname, "../../scripts/setup.mjs"))}).then((setup) => setup.build())`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The build failed:\n${stderr}`);
}

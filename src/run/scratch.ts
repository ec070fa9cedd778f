/** Files that a run hands to its agent: in a private directory that is gone when the run is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export class Scratch {
  #directory: string | undefined;
  #count = 0;

  /** A name that is not taken, for somebody else to make a file of. */
  path(name: string): string {
    // mkdtemp makes the directory for its owner only.
    this.#directory ??= mkdtempSync(join(tmpdir(), "amux-run-"));
    return join(this.#directory, `${this.#count++}-${basename(name)}`);
  }

  file(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
    return path;
  }

  /** Several files under names that their reader looks for. */
  folder(name: string, files: Readonly<Record<string, string>>): string {
    const folder = this.path(name);
    mkdirSync(folder, { mode: 0o700 });
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content, { mode: 0o600 });
    return folder;
  }

  remove(): void {
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    this.#directory = undefined;
  }
}

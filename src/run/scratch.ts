/** Files a run passes to its agent, in a private directory that is removed with the run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export class Scratch {
  #directory: string | undefined;
  #count = 0;

  /** A free name for a file that another program creates. */
  path(name: string): string {
    // mkdtemp makes the directory private to its owner.
    this.#directory ??= mkdtempSync(join(tmpdir(), "amux-run-"));
    return join(this.#directory, `${this.#count++}-${basename(name)}`);
  }

  file(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
    return path;
  }

  /** Several files with the names their reader expects. */
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

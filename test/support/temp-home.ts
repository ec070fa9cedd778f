/** A home directory for one test, removed after it. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { removeTree } from "../../scripts/remove-tree.mjs";

export interface TempHome {
  path: string;
  /** Writes a file below the home and creates its directories. */
  write(name: string, content: string | Uint8Array): string;
}

export function tempHome(copyOf?: string): TempHome {
  const path = mkdtempSync(join(tmpdir(), "amux-test-"));
  // A process that the test ended may still write there.
  onTestFinished(() => removeTree(path));
  if (copyOf !== undefined) cpSync(copyOf, path, { recursive: true });
  return homeAt(path);
}

export function homeAt(path: string): TempHome {
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
}

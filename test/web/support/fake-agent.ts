/** A program that behaves towards its files as Claude Code does, installed as `claude`. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A PATH with it. */
export function pathWithFakeClaude(): string {
  const bin = mkdtempSync("/tmp/amux-w-bin-");
  copyFileSync(join(import.meta.dirname, "../../daemon/support/fake-claude.mjs"), join(bin, "claude"));
  chmodSync(join(bin, "claude"), 0o755);
  afterAll(() => rmSync(bin, { recursive: true, force: true }));
  return `${bin}:${process.env["PATH"]}`;
}

import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadToken } from "./token.ts";

const GOOD = "ab".repeat(32);

function tokenFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "amux-token-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "token");
}

it("a token may be given once, and is kept", () => {
  const file = tokenFile();
  expect([loadToken(file, GOOD), loadToken(file), loadToken(file, GOOD)]).toEqual([GOOD, GOOD, GOOD]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it("a token that others could read is replaced", () => {
  const file = tokenFile();
  writeFileSync(file, GOOD);
  chmodSync(file, 0o644);
  expect(() => loadToken(file, GOOD)).toThrow("can be read by others");
  const token = loadToken(file);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(token).not.toBe(GOOD);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each<[string, (file: string) => void, string | undefined, string]>([
  ["that is none", (file) => writeFileSync(file, "short", { mode: 0o600 }), undefined, "holds no token"],
  ["that is a link", (file) => symlinkSync("/etc/passwd", file), undefined, "is not a regular file"],
  [
    "that differs from the one given",
    (file) => writeFileSync(file, GOOD, { mode: 0o600 }),
    "cd".repeat(32),
    "is not the token in",
  ],
  ["given in the wrong form", () => undefined, "secret", "must be 64 hexadecimal digits"],
])("a token %s is refused", (_, prepare, wanted, message) => {
  const file = tokenFile();
  prepare(file);
  expect(() => loadToken(file, wanted)).toThrow(message);
});

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { passwordFor } from "./pgpass.ts";

it("the first matching line of a private .pgpass is used, with escaped colons", () => {
  const directory = mkdtempSync(join(tmpdir(), "amux-pgpass-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "pgpass");
  writeFileSync(
    path,
    "# db:5432:agents:alice:no\ndb:5432:agents:alice:one\nlocalhost:*:*:bob:two\n*:*:*:carol:a\\:b\\\\c\nbroken\n",
    { mode: 0o600 },
  );
  const ask = (host: string, user: string): string | undefined =>
    passwordFor({ host, port: 5432, database: "agents", user }, path);
  expect(ask("db", "alice")).toBe("one");
  expect(ask("other", "alice")).toBeUndefined();
  expect(ask("/run/postgresql", "bob")).toBe("two");
  expect(ask("anywhere", "carol")).toBe("a:b\\c");
  chmodSync(path, 0o644);
  expect(ask("db", "alice")).toBeUndefined();
  expect(passwordFor({ host: "db", port: 1 }, join(directory, "none"))).toBeUndefined();
});

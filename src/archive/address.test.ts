import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { archiveAddress, keepAddress, parseAddress } from "./address.ts";

describe("an archive's address", () => {
  it.each([
    ["postgres://alice:pw@db.example:5432/agents", "postgres://alice@db.example:5432/agents", true],
    ["postgresql://alice@db.example/agents?sslmode=disable", "postgres://alice@db.example/agents", false],
    ["postgres://alice:p%40w@localhost/agents", "postgres://alice@localhost/agents", false],
    [
      "postgres:///agents?host=/run/postgresql&user=alice&password=pw",
      "postgres://alice@/run/postgresql/agents",
      false,
    ],
    ["postgres://[::1]:5433/agents", "postgres://[::1]:5433/agents", false],
    ["postgres://127.0.0.1/agents", "postgres://127.0.0.1/agents", false],
    ["postgres://a:x@127.0.0.1.evil.example/agents", "postgres://a@127.0.0.1.evil.example/agents", true],
  ])("%s", (url, shown, needsTls) => {
    expect(parseAddress(url)).toMatchObject({ url, shown, needsTls });
  });

  it("removes passwords from every message about it", () => {
    const { withoutSecrets } = parseAddress("postgres://alice:p%40w-1@db.example/agents?password=other-1");
    expect(withoutSecrets("p%40w-1 p@w-1 other-1 alice")).toBe("[password] [password] [password] alice");
  });

  it.each(["mysql://a:secret@b/c", "alice:secret@db", "postgres://a:%zz@b/c", "", "postgres:/x"])(
    "refuses %j without repeating it",
    (text) => {
      expect(() => parseAddress(text)).toThrow(/An archive's address is like/);
      expect(() => parseAddress(text)).not.toThrow(/secret/);
    },
  );

  it("is the given one, the variable's, or the saved one from a private file", () => {
    const home = mkdtempSync(join(tmpdir(), "amux-address-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const env = (vars: Record<string, string>) => ({ home, platform: "linux" as const, vars });
    expect(() => archiveAddress(env({}))).toThrow("No archive configured.");
    keepAddress(env({}), "postgres://kept:pw@localhost/x\n");
    expect(archiveAddress(env({})).url).toBe("postgres://kept:pw@localhost/x");
    expect(archiveAddress(env({ AMUX_ARCHIVE: "postgres://variable/x" })).shown).toBe("postgres://variable/x");
    expect(archiveAddress(env({ AMUX_ARCHIVE: "postgres://variable/x" }), "postgres://given/x").shown).toBe(
      "postgres://given/x",
    );
    const file = join(home, ".agent-mux/archive-address");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(() => archiveAddress(env({}))).toThrow("can be read by others");
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Redactor } from "./redactor.ts";
import { secretKinds } from "./testing/secret-kinds.ts";

const redactor = new Redactor();
const clean = (text: string): string => redactor.text(text, "text", []);

describe("measured on a corpus", () => {
  it("at least 99 of 100 kinds of secrets are redacted", () => {
    const kinds = secretKinds();
    const missed = kinds.filter(({ line, secret }) => clean(line).includes(core(secret)));
    expect(kinds.length).toBeGreaterThanOrEqual(300);
    expect(missed.length, missed.map(({ line }) => line).join("\n")).toBeLessThanOrEqual(
      Math.floor(kinds.length / 100),
    );
  });

  it("at most one of 100 harmless lines is changed", () => {
    const lines = readFileSync(join(import.meta.dirname, "fixtures/harmless.txt"), "utf8")
      .trimEnd()
      .split("\n");
    const changed = lines.filter((line) => clean(line) !== line);
    expect(lines.length).toBeGreaterThanOrEqual(2000);
    expect(changed.length, changed.join("\n")).toBeLessThanOrEqual(lines.length / 100);
  });
});

/** The middle of the secret, without the address or label around it. */
function core(secret: string): string {
  return secret.length < 16 ? secret : secret.slice(-12, -3);
}

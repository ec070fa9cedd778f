import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Log } from "./log.ts";

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), "amux-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "amuxd.log");
}

function numbers(path: string): number[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as { number: number }).number);
}

describe("the log", () => {
  it("is rotated when it has grown, without losing lines", () => {
    const path = place();
    const log = new Log(path, 1000);
    for (let number = 0; number < 20; number++) log.write("info", "something", { number });
    const kept = [...numbers(`${path}.1`), ...numbers(path)];
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 20 - kept.length + index));
    for (const file of [path, `${path}.1`]) {
      expect(statSync(file).size).toBeLessThanOrEqual(1000);
      expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    }
    expect(existsSync(`${path}.2`)).toBe(false);
  });

  it("continues another daemon's file", () => {
    const path = place();
    new Log(path, 500).write("info", "x".repeat(400), { number: 1 });
    new Log(path, 500).write("info", "y".repeat(400), { number: 2 });
    expect([numbers(`${path}.1`), numbers(path)]).toEqual([[1], [2]]);
  });

  it("never stops the daemon, and never writes more than a line at a time", () => {
    const path = place();
    mkdirSync(path);
    new Log(path).problem("looking", new Error("a\nb"));
    rmSync(path, { recursive: true });
    new Log(path).problem("looking", new Error("a\nb"));
    expect(readFileSync(path, "utf8").trimEnd().split("\n").length).toBe(1);
  });
});

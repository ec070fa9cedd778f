import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needsLinux } from "../../../test/support/needs.ts";
import { openForReading, readBytes, readText } from "./foreign-file.ts";

const MB = 1024 * 1024;
let directory: string;
const at = (name: string): string => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "amux-foreign-"));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("a foreign file", () => {
  it("is read whole, and bytes that are not UTF-8 are shown as such", () => {
    writeFileSync(at("text"), Buffer.from([0x61, 0xff, 0x62]));
    expect(readText(at("text"))).toBe("a\ufffdb");
    expect(readBytes(at("text"))).toEqual(Buffer.from([0x61, 0xff, 0x62]));
    writeFileSync(at("empty"), "");
    expect(readText(at("empty"))).toBe("");
  });

  it("is not waited for when it is a FIFO without a writer", () => {
    execFileSync("mkfifo", [at("fifo")]);
    expect(() => readText(at("fifo"))).toThrow(expect.objectContaining({ code: "NOT_A_FILE" }));
    expect(() => openForReading(at("fifo"))).toThrow(expect.objectContaining({ code: "NOT_A_FILE" }));
  });

  it("is refused when it is a device, a socket or a directory, even behind a link", async () => {
    symlinkSync("/dev/zero", at("zero"));
    expect(() => readText(at("zero"))).toThrow(expect.objectContaining({ code: "NOT_A_FILE" }));
    mkdirSync(at("directory"));
    expect(() => readText(at("directory"))).toThrow(expect.objectContaining({ code: "EISDIR" }));
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(() => readText(at("socket"))).toThrow(expect.objectContaining({ code: "NOT_A_FILE" }));
    await new Promise((resolve) => server.close(resolve));
  });

  it("keeps the system's own errors: missing, or a link loop", () => {
    expect(() => readText(at("nothing"))).toThrow(expect.objectContaining({ code: "ENOENT" }));
    symlinkSync(at("circle"), at("circle"));
    expect(() => readText(at("circle"))).toThrow(expect.objectContaining({ code: "ELOOP" }));
  });

  it("is refused before it is read when it is too large", () => {
    writeFileSync(at("huge"), "");
    truncateSync(at("huge"), 10 * 1024 * MB);
    // Of this thread: others take memory meanwhile.
    const before = process.memoryUsage().arrayBuffers;
    expect(() => readText(at("huge"))).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MB);
  });

  it("may have no size, as in /proc", needsLinux, () => {
    expect(readText("/proc/self/status")).toContain("Name:");
    expect(() => readText("/proc/self/status", 10)).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
  });
});

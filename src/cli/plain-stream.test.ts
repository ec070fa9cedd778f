import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { isPlain, writePlain } from "./plain-stream.ts";
import { needsLinux } from "../../test/support/needs.ts";

describe("output without streams", needsLinux, () => {
  it("goes to files, pipes and nowhere", () => {
    const home = tempHome();
    const [file, pipe] = [home.write("file", ""), join(home.path, "pipe")];
    spawnSync("mkfifo", [pipe]);
    const opened = [file, pipe, "/dev/null"].map((path) => openSync(path, "r+"));
    expect(opened.map(isPlain)).toEqual([true, true, true]);
    expect(writePlain(opened[0]!, Buffer.from("text"))).toBe(4);
    expect(readFileSync(file, "utf8")).toBe("text");
    for (const fd of opened) closeSync(fd);
    expect(isPlain(opened[0]!)).toBe(false);
  });

  it("is not for terminals and other devices", () => {
    const fd = openSync("/dev/zero", "r+");
    expect(isPlain(fd)).toBe(false);
    closeSync(fd);
  });

  it("stops when nobody takes more, and tells how far it came", () => {
    const path = join(tempHome().path, "pipe");
    spawnSync("mkfifo", [path]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(4 * 1024 * 1024, "x");
    const written = writePlain(fd, bytes);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(bytes.length);
    const taken = Buffer.alloc(bytes.length);
    expect(readSync(fd, taken)).toBe(written);
    closeSync(fd);
  });
});

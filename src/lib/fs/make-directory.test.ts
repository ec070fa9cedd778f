import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { makeDirectory } from "./make-directory.ts";
import { needs } from "../../../test/support/needs.ts";

describe("a new directory", () => {
  it("has its parents, private to their owner, and the topmost new one is returned", () => {
    const { path } = tempHome();
    expect(makeDirectory(join(path, "a/b/c"))).toBe(join(path, "a"));
    expect(statSync(join(path, "a")).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "a/b/c")).isDirectory()).toBe(true);
    expect(makeDirectory(join(path, "a/b/c"))).toBeUndefined();
  });

  it("is refused where a file is in the way", () => {
    const home = tempHome();
    home.write("file", "text");
    expect(() => makeDirectory(join(home.path, "file"))).toThrow("EEXIST");
    expect(() => makeDirectory(join(home.path, "file/below"))).toThrow("ENOTDIR");
  });

  it("is refused at once by a file system that allows none", needs(existsSync("/proc/self"), "/proc"), () => {
    expect(() => makeDirectory("/proc/amux/below")).toThrow("ENOENT");
  });
});

import fs, { closeSync, openSync, readSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { isCalledSo, rawFiles } from "./raw-files.ts";

const original = fs.openSync;

afterEach(() => {
  vi.restoreAllMocks();
  fs.openSync = original;
  syncBuiltinESMExports();
});

function failureOf(act: () => unknown): NodeJS.ErrnoException {
  try {
    act();
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  throw new Error("It did not fail.");
}

describe("files without Node's wrappings", () => {
  it("gives the bytes that Node gives", () => {
    const path = join(tempHome().path, "file ü.jsonl");
    writeFileSync(path, "0123456789");
    const files = rawFiles();
    const fd = files.open(path);
    const bytes = Buffer.alloc(8, "-");
    expect(files.read(fd, bytes, 2, 4, 3)).toBe(4);
    expect(String(bytes)).toBe("--3456--");
    expect(files.read(fd, bytes, 0, 8, 8)).toBe(2);
    expect(files.read(fd, bytes, 0, 8, 10)).toBe(0);
    expect(files.size(fd)).toBe(10);
    files.close(fd);
    expect(failureOf(() => files.size(fd)).code).toBe("EBADF");
    expect(failureOf(() => files.read(fd, bytes, 0, 8, 0)).code).toBe("EBADF");
  });

  it("fails as Node does", () => {
    const path = join(tempHome().path, "nothing");
    const { code, syscall } = failureOf(() => rawFiles().open(path));
    expect({ code, syscall }).toEqual({ code: "ENOENT", syscall: "open" });
    const directory = tempHome().path;
    const fd = rawFiles().open(directory);
    expect(failureOf(() => rawFiles().read(fd, Buffer.alloc(8), 0, 8, 0)).code).toBe("EISDIR");
    rawFiles().close(fd);
  });

  it("calls what was put in the place of Node's functions", () => {
    const path = join(tempHome().path, "file");
    writeFileSync(path, "text");
    rawFiles().close(rawFiles().open(path));
    const opened: unknown[] = [];
    fs.openSync = (...args) => {
      opened.push(args[0]);
      return original(...args);
    };
    syncBuiltinESMExports();
    rawFiles().close(rawFiles().open(path));
    expect(opened).toEqual([path]);
  });

  it("is read also when the running Node is no longer where it was", async () => {
    const path = join(tempHome().path, "file");
    writeFileSync(path, "text");
    vi.resetModules();
    vi.spyOn(process, "execPath", "get").mockReturnValue("node");
    const files = (await import("./raw-files.ts")).rawFiles();
    const fd = files.open(path);
    expect(files.size(fd)).toBe(4);
    files.close(fd);
  });

  it("is not used where Node calls it otherwise", () => {
    const functions = { open: openSync, read: readSync, close: closeSync };
    const withContext = (fd: number, binding: { close(...args: unknown[]): void }): void =>
      binding.close(fd, undefined, {});
    expect(isCalledSo({ ...functions, close: withContext as never })).toBe(false);
    expect(isCalledSo({ ...functions, open: (() => 3) as never })).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { LinearPattern } from "./linear-pattern.ts";

describe("a pattern from a file", () => {
  it("matches and names its groups", () => {
    const pattern = new LinearPattern(String.raw`^t/(\d+)`);
    expect(pattern.groups).toBe(1);
    expect(pattern.match("t/12-x")).toEqual(["t/12", "12"]);
    expect(pattern.match("x")).toBeUndefined();
  });

  it("cannot run forever", () => {
    const pattern = new LinearPattern("^(?:(?:a+)+)+(b)$");
    expect(pattern.match(`${"a".repeat(100_000)}c`)).toBeUndefined();
  });

  it("replaces each match, and leaves a text without one unchanged", () => {
    const pattern = new LinearPattern("C-[0-9]{2}|x*");
    expect(pattern.replaced("a C-12 ü C-34.", (match) => `<${match}>`)).toBe("a <C-12> ü <C-34>.");
    expect(pattern.replaced("nothing", () => "!")).toBe("nothing");
  });

  it("is refused with look-around or back-references", () => {
    expect(() => new LinearPattern("(?=a)b")).toThrow();
    expect(() => new LinearPattern(String.raw`(a)\1`)).toThrow();
    expect(() => new LinearPattern("(")).toThrow();
  });
});

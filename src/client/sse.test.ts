import { describe, expect, it } from "vitest";
import { SseParser } from "./sse.ts";

describe("server-sent events", () => {
  it("are the same wherever the text is split", () => {
    const text = ": hello\n\nid: 1\nevent: a\ndata: x\ndata: y\n\ndata:z\n\n";
    const whole = [...new SseParser().push(text)];
    expect(whole).toEqual([
      { event: "a", data: "x\ny", id: "1" },
      { event: "message", data: "z" },
    ]);
    const parser = new SseParser();
    expect([...text].flatMap((character) => [...parser.push(character)])).toEqual(whole);
  });

  it("that never end are not kept", () => {
    const parser = new SseParser(100);
    const push = (): unknown => [...parser.push("data: no end in sight ")];
    expect(() => Array.from({ length: 10 }, push)).toThrow("longer than 100 characters");
  });

  it("that are many and long are scanned once", () => {
    const parser = new SseParser();
    const piece = "x".repeat(1000);
    let events = 0;
    // Rescanning from the start each time would be quadratic.
    for (const text of ["data: ", ...Array.from({ length: 2000 }, () => piece), "\n", "\n"]) {
      events += [...parser.push(text)].length;
    }
    expect(events).toBe(1);
  });
});

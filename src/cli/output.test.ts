import { afterEach, expect, it, vi } from "vitest";
import { jsonPieces, Output } from "./output.ts";

afterEach(() => vi.restoreAllMocks());

it("a progress line does not stay on the screen after Ctrl-C, which still ends the command", () => {
  const uptime = vi.spyOn(process, "uptime").mockReturnValue(1);
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  const before = process.listenerCount("SIGINT");
  let written = "";
  const terminal = { isTTY: true, columns: 80, write: (text: string) => (written += text) };
  const output = new Output(false, process.stdout, terminal as unknown as NodeJS.WriteStream, {
    TERM: "xterm",
  });
  uptime.mockReturnValue(2);
  output.progress("reading sessions 1004/1619");
  process.emit("SIGINT");
  expect(written).toMatch(/1619\r\u001b\[2K$/);
  expect(kill).toHaveBeenCalledWith(process.pid, "SIGINT");
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("a dumb terminal gets no progress lines, which it could not erase", () => {
  const uptime = vi.spyOn(process, "uptime").mockReturnValue(1);
  let written = "";
  const terminal = { isTTY: true, columns: 80, write: (text: string) => (written += text) };
  const stderr = terminal as unknown as NodeJS.WriteStream;
  const output = new Output(false, process.stdout, stderr, { TERM: "dumb" });
  uptime.mockReturnValue(2);
  output.progress("reading sessions 1004/1619");
  output.clearProgress();
  expect(written).toBe("");
});

it.each([0, 1, 999, 1000, 1001, 2500])("a list of %d in pieces is the same text as in one", (length) => {
  const list = Array.from({ length }, (_, n) => (n % 7 === 0 ? undefined : { n, text: "a\n[]", deep: [{}, []] }));
  expect([...jsonPieces(list)].join("")).toBe(`${JSON.stringify(list, null, 2)}\n`);
});

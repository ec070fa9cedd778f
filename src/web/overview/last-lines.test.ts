import { expect, it } from "vitest";
import { lastLines } from "./last-lines.ts";

it("keeps what an agent said, not the frame of its input box", () => {
  const screen = [
    "● Running the tests",
    "  ⎿  141 passed",
    "",
    "╭──────╮",
    "│ >    │",
    "╰──────╯",
    "  ? for shortcuts",
    "",
  ];
  expect(lastLines(screen.join("\n"))).toEqual(["● Running the tests", "  ⎿  141 passed", "  ? for shortcuts"]);
});

it("takes text out of a frame, and is empty for an empty screen", () => {
  expect(lastLines("│ Allow? │\n\n")).toEqual(["Allow?"]);
  expect(lastLines("\n\n")).toEqual([]);
});

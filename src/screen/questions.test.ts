import { expect, test } from "vitest";
import { mayAsk } from "./questions.ts";

test.each([
  ["what are you", "\x1b[c"],
  ["what are you, at length", "\x1b[>0c"],
  ["where is the cursor", "text \x1b[6n"],
  ["a mode", "\x1b[?2026$p"],
  ["the version", "\x1b[>0q"],
  ["the keyboard", "\x1b[?u"],
  ["the size", "\x1b[18t"],
  ["a colour", "\x1b]11;?\x07"],
  ["a setting", "\x1bP$qm\x1b\\"],
  ["an agent's state", "\x1b]7501;?\x1b\\"],
  ["identify", "\x1bZ"],
  ["enquiry", "\x05"],
  ["enquiry in text", "a\x05b"],
  ["the beginning of a question", "\x1b["],
  ["the beginning of anything", "abc\x1b"],
])("%s may be a question", (_, output) => {
  expect(mayAsk(Buffer.from(output, "latin1"))).toBe(true);
});

test.each(["a", "größe", "ls -l\r\n", "\x1b[1;31mred\x1b[m", "\x1b[2K\x1b[G> word\x1b[7m \x1b[m", "\x1b[?25l\x1b[A"])(
  "%j asks nothing",
  (output) => {
    expect(mayAsk(Buffer.from(output))).toBe(false);
  },
);

import { describe, expect, it } from "vitest";
import { screenShowing } from "./screen-likeness.ts";

const WORDS = "I have added the **health route** in `api/server.ts` and a test for it. All 12 tests pass.";

/** As an agent shows it: framed, wrapped, without markup. */
const SHOWN = [
  "╭──────────────────────────────╮",
  "│ ● I have added the health    │",
  "│   route in api/server.ts and │",
  "│   a test for it. All 12      │",
  "│   tests pass.                │",
  "╰──────────────────────────────╯",
  "> ",
].join("\n");

const OTHER = "● The login page is blue now, as you asked.\n> ";

function shown(text: string, ...screens: string[]): string | undefined {
  return screenShowing(text, new Map(screens.map((screen, index) => [`screen ${index}`, screen])));
}

describe("the screen that shows a conversation", () => {
  it("is found by its last text, however it is laid out", () => {
    expect(shown(WORDS, OTHER, SHOWN)).toBe("screen 1");
    expect(shown(WORDS, SHOWN)).toBe("screen 0");
  });

  it("is unknown when there is none, or two, or too little text", () => {
    expect(shown(WORDS, OTHER, "")).toBeUndefined();
    expect(shown(WORDS, SHOWN, SHOWN)).toBeUndefined();
    expect(shown("Done.", "Done.", OTHER)).toBeUndefined();
    expect(shown("", "", "")).toBeUndefined();
    expect(shown(WORDS)).toBeUndefined();
  });

  it("is found by the end of a long conversation", () => {
    const long = `${OTHER.repeat(50)}\n${WORDS.repeat(4)}`;
    expect(shown(long, OTHER, SHOWN)).toBe("screen 1");
  });

  it("is found for text in every script", () => {
    const words = "サーバーにヘルスチェックのルートを追加し、テストも書きました。";
    expect(shown(words, OTHER, `● ${words.slice(0, 12)}\n  ${words.slice(12)}`)).toBe("screen 1");
  });
});

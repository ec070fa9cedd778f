import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PaneScreen } from "./pane-screen.ts";

const NOBODY = {
  onTitle: () => undefined,
  onBell: () => undefined,
  onNotification: () => undefined,
  onClipboard: () => undefined,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  // No timer runs while nothing changes.
  vi.advanceTimersByTime(1000);
});
afterEach(() => void vi.useRealTimers());

function text(screen: PaneScreen): string {
  return screen.picture().text(0).trimEnd();
}

test("a synchronized frame is not shown before its end", () => {
  const screen = new PaneScreen(20, 3, NOBODY);
  screen.feed(Buffer.from("old"));
  expect(text(screen)).toBe("old");
  screen.feed(Buffer.from("\x1b[?2026h\x1b[2J\x1b[Hnew "));
  expect(text(screen)).toBe("old");
  screen.feed(Buffer.from("picture"));
  expect(text(screen)).toBe("old");
  screen.feed(Buffer.from("\x1b[?2026l"));
  expect(text(screen)).toBe("new picture");
});

test("a frame that never ends is shown after a moment", () => {
  const screen = new PaneScreen(20, 3, NOBODY);
  screen.feed(Buffer.from("\x1b[?2026hhalf"));
  expect(text(screen)).toBe("");
  vi.advanceTimersByTime(screen.frameEndsInMs);
  expect(text(screen)).toBe("half");
});

test("a character that comes in two pieces is one", () => {
  const screen = new PaneScreen(20, 3, NOBODY);
  const bytes = Buffer.from("größe 🚀");
  for (const byte of bytes) screen.feed(Buffer.from([byte]));
  expect(text(screen)).toBe("größe 🚀");
});

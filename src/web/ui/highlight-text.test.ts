import { afterEach, expect, it, vi } from "vitest";
import { highlightText } from "./highlight-text.ts";

afterEach(() => vi.unstubAllGlobals());

it("a letter that stands a hundred thousand times in one text is not marked everywhere", () => {
  const highlights = new Map<string, Set<unknown>>();
  let nodes = 0;
  const walker = {
    currentNode: { data: "a".repeat(300_000) },
    nextNode: () => (nodes++ < 3 ? walker.currentNode : null),
  };
  vi.stubGlobal("CSS", { highlights });
  vi.stubGlobal("Highlight", Set);
  vi.stubGlobal("NodeFilter", { SHOW_TEXT: 4 });
  vi.stubGlobal("document", { createTreeWalker: () => walker });
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
  vi.stubGlobal(
    "Range",
    class {
      setStart(): void {}
      setEnd(): void {}
    },
  );
  vi.stubGlobal(
    "MutationObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  const stop = highlightText({} as HTMLElement, "A");
  expect(highlights.get("found")!.size).toBe(2000);
  stop();
  expect(highlights.size).toBe(0);
});

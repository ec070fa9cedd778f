import { describe, expect, it } from "vitest";
import { givenAfterPath, givenTo } from "./node-call.ts";

/** A function as Node writes it: its text is all that matters. */
function written(text: string): () => void {
  return Object.assign(() => undefined, { toString: () => text });
}

const OPEN = `function openSync(path, flags, mode) {
  return binding.open(
    pathModule.toNamespacedPath(path),
    stringToFlags(flags),
    parseFileMode(mode, 'mode', 0o666),
  );
}`;

describe("how Node calls what lies below", () => {
  it("is told without blanks, in one line or several", () => {
    expect(givenTo("binding.read", written("{ return binding.read(fd, buffer, 1); }"))).toBe("fd,buffer,1");
    expect(givenTo("binding.open", written(OPEN))).toBe(
      "pathModule.toNamespacedPath(path),stringToFlags(flags),parseFileMode(mode,'mode',0o666)",
    );
    expect(givenAfterPath("binding.open", written(OPEN))).toBe("stringToFlags(flags),parseFileMode(mode,'mode',0o666)");
  });

  it("is unknown where it does not call it", () => {
    expect(givenTo("binding.close", written(OPEN))).toBeUndefined();
    expect(givenAfterPath("binding.close", written(OPEN))).toBeUndefined();
  });
});

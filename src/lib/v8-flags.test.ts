import { Script } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { nodeBinding } from "./node-binding.ts";
import { setV8Flags } from "./v8-flags.ts";

let asked = 0;

/** A flag that nobody else here sets, and that decides what can be parsed. What was parsed before is not parsed again. */
function isSet(): boolean {
  try {
    return Boolean(new Script(`%DebugPrint(${asked++})`));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

describe("V8's flags", () => {
  afterEach(() => setV8Flags(["--no-allow-natives-syntax"]));

  it.each([
    ["below node:v8", nodeBinding],
    ["by node:v8 where nothing lies below it", () => undefined],
    ["by node:v8 where something else lies below it", () => ({ setFlagsFromString: 1 })],
  ])("are set %s", (_, binding) => {
    expect(isSet()).toBe(false);
    setV8Flags(["--allow-natives-syntax"], binding);
    expect(isSet()).toBe(true);
  });

  it("are set several at once", () => {
    setV8Flags(["--stack-size=984", "--allow-natives-syntax", "--stack-size=984"]);
    expect(isSet()).toBe(true);
  });
});

import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { nodeBinding } from "./node-binding.ts";
import { setV8Flags } from "./v8-flags.ts";

describe("V8's flags", () => {
  afterEach(() => setV8Flags(["--no-expose-gc"]));

  it.each([
    ["below node:v8", nodeBinding],
    ["by node:v8 where nothing lies below it", () => undefined],
    ["by node:v8 where something else lies below it", () => ({ setFlagsFromString: 1 })],
  ])("are set %s", (_, binding) => {
    const isThere = (): boolean => runInNewContext("typeof gc === 'function'") as boolean;
    expect(isThere()).toBe(false);
    setV8Flags(["--expose-gc"], binding);
    expect(isThere()).toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { isSessionId, isSlug, newSessionId, splitRemoteId } from "./session-id.ts";

const CLIMBING = ["..", "../x", "sess-../../x", "sess-..%2fx", "sess-abcd123/", "sess-abcd1234/..", "sess-abcd1234\0"];
const ODD = ["", "sess-", "sess-abcd123", "sess-abcd12345", "sess-ABCD1234", "xsess-abcd1234", "sess-abcd1234\n"];

describe("names that become paths", () => {
  it.each([...CLIMBING, ...ODD])("%j is not a session id", (text) => {
    expect(isSessionId(text)).toBe(false);
  });

  it("are created as they are checked", () => {
    const ids = Array.from({ length: 100 }, newSessionId);
    expect(ids.filter((id) => !isSessionId(id))).toEqual([]);
  });

  it.each(["", "..", "a/b", "-a", "a-", "A", "a b", "a\n", "ä", "%2e", "a".repeat(41)])("%j is not a slug", (text) => {
    expect(isSlug(text)).toBe(false);
  });

  it.each(["a", "a-b", "0", "a".repeat(40)])("%j is a slug", (text) => {
    expect(isSlug(text)).toBe(true);
  });

  it("name the nearest machine last", () => {
    expect(splitRemoteId("sess-abcd1234@box")).toEqual({ id: "sess-abcd1234", peer: "box" });
    expect(splitRemoteId("sess-abcd1234@far@box")).toEqual({ id: "sess-abcd1234@far", peer: "box" });
    expect(splitRemoteId("sess-abcd1234")).toBeUndefined();
  });
});

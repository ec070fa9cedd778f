import { describe, expect, it } from "vitest";
import { jsonText } from "./json.ts";

describe("the JSON of a foreign value", () => {
  it("is what JSON.stringify writes", () => {
    const value = { at: new Date(0), list: [1, "a", null], nested: { yes: true } };
    expect(jsonText(value)).toBe(JSON.stringify(value));
    expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
  });

  it("is empty where JSON cannot express it", () => {
    expect(jsonText(undefined)).toBe("");
  });

  it("is cut off where a value is nested too deeply", () => {
    // Deeper than any thread's stack allows.
    const levels = 100_000;
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    const text = jsonText({ at: new Date(0), deep });
    expect(text.slice(0, 50)).toBe('{"at":"1970-01-01T00:00:00.000Z","deep":{"a":{"a":');
    expect(text.includes('"[nested too deep]"')).toBe(true);
  });
});

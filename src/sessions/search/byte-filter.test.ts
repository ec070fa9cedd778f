import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { ByteFilter } from "./byte-filter.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";

function mayMatch(query: string, ...lines: string[]): boolean {
  const path = join(tempHome().path, "session.jsonl");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return new ByteFilter(planOf(parseQuery(query)!)).look({ paths: [path], text: "" }).mayMatch;
}

/** More than is looked at to find out how a file is written, and more than a chunk. */
const FAR = [20_000, 600_000];

describe("a word in bytes of JSON", () => {
  it.each(FAR)("is not missed where it is escaped behind %i bytes of letters that are not", (bytes) => {
    const before = JSON.stringify({ text: "é ".repeat(bytes / 3) });
    expect(mayMatch("retry", before, String.raw`{"text":"re\u0074ry"}`)).toBe(true);
    expect(mayMatch("検索", before, String.raw`{"text":"\u691c\u7d22"}`)).toBe(true);
    expect(mayMatch("retry", before, '{"text":"another"}')).toBe(false);
  });

  it("is not looked for by reading where a backslash only stands before a u", () => {
    expect(mayMatch("retry", String.raw`{"text":"C:\\users\\u0074 and \\\\u0041"}`)).toBe(false);
    expect(mayMatch("retry", String.raw`{"text":"C:\\\u0074"}`)).toBe(true);
  });
});

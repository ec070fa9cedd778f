import fs, { rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { ByteFilter } from "./byte-filter.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";

function mayMatch(query: string, ...lines: string[]): boolean {
  const path = join(tempHome().path, "session.jsonl");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return new ByteFilter(planOf(parseQuery(query)!)).look({ paths: [path], text: "" }).mayMatch;
}

/** Past the bytes that decide the format, and past one chunk. */
const FAR = [20_000, 600_000];

describe("a word in bytes of JSON", () => {
  it.each(FAR)("is found where it is escaped after %i bytes of unescaped letters", (bytes) => {
    const before = JSON.stringify({ text: "é ".repeat(bytes / 3) });
    expect(mayMatch("retry", before, String.raw`{"text":"re\u0074ry"}`)).toBe(true);
    expect(mayMatch("検索", before, String.raw`{"text":"\u691c\u7d22"}`)).toBe(true);
    expect(mayMatch("retry", before, '{"text":"another"}')).toBe(false);
  });

  it("is not taken to be escaped where a backslash only precedes a u", () => {
    expect(mayMatch("retry", String.raw`{"text":"C:\\users\\u0074 and \\\\u0041"}`)).toBe(false);
    expect(mayMatch("retry", String.raw`{"text":"C:\\\u0072etry"}`)).toBe(true);
  });
});

describe("a file that a fork begins in", () => {
  it("names its own origin, with each fork that begins in it", () => {
    const home = tempHome().path;
    const [parent, fork, other] = ["parent", "fork", "other"].map((name) => join(home, `${name}.jsonl`)) as [
      string,
      string,
      string,
    ];
    writeFileSync(parent, '{"base":{"id":"first"}}\n{"text":"nothing"}\n');
    writeFileSync(fork, '{"base":{"id":"parent"}}\n{"text":"nothing either"}\n');
    writeFileSync(other, '{"base":{"id":"parent"}}\n{"text":"retry policy"}\n');
    const filter = new ByteFilter(planOf(parseQuery("retry")!));
    const look = (...paths: string[]): [boolean, string[]] => {
      const { mayMatch: may, headers } = filter.look({ paths, text: "", originMark: '"base":{' });
      return [may, headers.map(String)];
    };
    const headers = ['{"base":{"id":"parent"}}', '{"base":{"id":"first"}}'];
    expect(look(fork)).toEqual([false, headers.slice(0, 1)]);
    expect(look(fork, parent)).toEqual([false, headers]);
    expect(look(other, parent)[0]).toBe(true);
    rmSync(other);
    expect(look(other)[0]).toBe(true);
  });
});

describe("a file that arrives in short chunks", () => {
  const { readSync } = fs;

  afterEach(() => {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  });

  it("is read to its end", () => {
    fs.readSync = ((fd: number, bytes: Buffer, offset: number, length: number, position: number) =>
      readSync(fd, bytes, offset, Math.min(length, 7), position)) as typeof readSync;
    syncBuiltinESMExports();
    const path = join(tempHome().path, "session.jsonl");
    const filter = new ByteFilter(planOf(parseQuery("retry")!));
    const look = (text: string): boolean => {
      writeFileSync(path, text);
      return filter.look({ paths: [path], text: "", originMark: '"base":{' }).mayMatch;
    };
    expect(look('{}\n{"text":"something and a retry"}\n')).toBe(true);
    // Seven bytes cannot show whether the first line names an origin.
    expect(look('{"text":"nothing"}\n')).toBe(true);
    expect(look("{}")).toBe(false);
  });
});

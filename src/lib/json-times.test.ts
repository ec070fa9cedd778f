/** Dates are read by the scanner as JavaScript reads them; where it does not read one, JavaScript does. */
import { expect, it } from "vitest";
import { JsonLines } from "./json-lines.ts";

const USUAL = "2026-01-31T12:34:56.789Z";
const PLACES = 256 >> 2;

class Scan extends JsonLines {
  constructor() {
    super([{ path: "at", as: "time" }]);
  }

  /** What is read of each text; undefined when that is left to JavaScript. */
  read(texts: readonly string[]): (number | undefined)[] {
    const lines = texts.map((text) => `{"at":"${text}"}`).join("\n");
    this.openBytes(Buffer.from(lines));
    const field = this.field("at");
    return texts.map(() => {
      this.next();
      return this.ints[PLACES + 4 * field + 3] === 1 ? this.number(field) : undefined;
    });
  }
}

function expected(text: string): number | undefined {
  const ms = Date.parse(text);
  return ms >= 0 && new Date(ms).toISOString() === text ? ms : undefined;
}

it("reads dates as JavaScript does, whatever is wrong with them", () => {
  const others = [...USUAL].flatMap((_, at) =>
    Array.from({ length: 95 }, (__, code) => String.fromCharCode(32 + code))
      .filter((letter) => letter !== '"' && letter !== "\\")
      .map((letter) => USUAL.slice(0, at) + letter + USUAL.slice(at + 1)),
  );
  const days = ["02-28", "02-29", "02-30", "04-30", "04-31", "12-31", "12-32", "00-10", "13-01", "06-00"];
  const edges = [1969, 1970, 2000, 2024, 2026, 2100].flatMap((year) =>
    days.map((day) => `${year}-${day}T23:59:59.999Z`),
  );
  const hours = ["24:00:00", "23:60:00", "23:59:60", "00:00:00"].map((hour) => `2026-05-05T${hour}.000Z`);
  const texts = [USUAL, ...others, ...edges, ...hours, "2026-01-31", `${USUAL} `, "é026-01-31T12:34:56.789Z"];
  expect(new Scan().read(texts)).toEqual(texts.map(expected));
});

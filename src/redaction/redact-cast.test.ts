import { expect, it } from "vitest";
import { DEADLINE_MS } from "../../test/support/deadline.ts";
import type { Cast, CastEvent } from "../protocol/cast.ts";
import { redactCast } from "./redact-cast.ts";
import { Redactor } from "./redactor.ts";
import { secretKinds } from "./testing/secret-kinds.ts";

const redactor = new Redactor();
const SECRET = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");

function castOf(...texts: string[]): Cast {
  return { header: { width: 80, height: 24 }, events: texts.map((text, at) => ({ at, kind: "o", text })) };
}

const shown = ({ events }: Cast): string => events.map(({ text }) => text).join("");
const clean = (...texts: string[]): string => shown(redactCast(castOf(...texts), redactor).cast);

it("a secret in one event is taken out, and the rest keeps its place", () => {
  expect(clean(`see ${SECRET} there\r\n`)).toBe(`see ${"█".repeat(SECRET.length)} there\r\n`);
});

it("a secret that is spread over events, typed letter by letter, or coloured inside is taken out", () => {
  expect(clean("see gh", "p_aB3dE5gH7jK9mN1pQ2rS4", "tU6vW8xY0zA1bC3 there")).not.toMatch(/aB3|tU6/);
  expect(clean("$ ", ...SECRET, "\r\n")).toBe(`$ ${"█".repeat(SECRET.length)}\r\n`);
  const coloured = `\u001b[1m${SECRET.slice(0, 9)}\u001b[0;32m${SECRET.slice(9)}\u001b[0m`;
  expect(clean(coloured)).toBe(`\u001b[1m${"█".repeat(9)}\u001b[0;32m${"█".repeat(SECRET.length - 9)}\u001b[0m`);
});

it("a secret that was wrapped at the border is taken out", () => {
  const line = "x".repeat(60);
  const wrapped = `│ ${line} ${SECRET.slice(0, 15)} │\r\n│ ${SECRET.slice(15)} │\r\n`;
  expect(clean(wrapped)).not.toMatch(/aB3|tU6|1bC3/);
});

it("a secret that was wrapped at the border of a smaller screen is taken out", () => {
  const { header } = castOf();
  const wrapped = `${"x".repeat(30)} ${SECRET.slice(0, 17)}\r\n  ${SECRET.slice(17)}\r\n`;
  const events: CastEvent[] = [
    { at: 0, kind: "r", text: "50x30" },
    { at: 1, kind: "o", text: wrapped },
    { at: 2, kind: "r", text: "200x30" },
  ];
  expect(shown(redactCast({ header, events }, redactor).cast)).not.toMatch(/aB3|tU6|1bC3/);
});

it("a secret in a narrow part of the screen, wrapped at its right border, is taken out", () => {
  const rows = [SECRET.slice(0, 18), SECRET.slice(18, 36), SECRET.slice(36)];
  const drawn = rows.map((text, row) => `\u001b[${row + 3};60H│ ${text.padEnd(18)}│`).toReversed();
  expect(clean(...drawn)).not.toMatch(/aB3|tU6|1bC3/);
});

it("titles, links and the clipboard are left out whole, also if they have no end", () => {
  expect(clean(`a\u001b]0;${SECRET}\u0007b`)).toBe("ab");
  expect(clean("a\u001b]8;;https://x/?t=", `${SECRET}\u001b\\b\u001b]8;;\u001b\\`)).toBe("ab");
  expect(clean("a\u001b]52;c;Z2hwX2FC\u0007\u001bP1$r0m\u001b\\b")).toBe("ab");
  expect(clean("a\u009d0;title\u009cb", "\u001b]0;never ends")).toBe("ab");
});

it("what draws stays: colours, movements, resizes", () => {
  const text = "\u001b[?1049h\u001b[2J\u001b[1;1Hhello\u001b[5Cworld\u0007\b\u001b(B\u001b7\u001b8\t\r\n";
  expect(clean(text)).toBe(text);
  const events: CastEvent[] = [
    { at: 0, kind: "o", text: "a" },
    { at: 1, kind: "r", text: "100x30" },
    { at: 2, kind: "m", text: SECRET },
  ];
  const { cast } = redactCast({ header: { width: 80, height: 24 }, events }, redactor);
  expect(cast.events).toEqual([events[0], events[1], { at: 2, kind: "m", text: "" }]);
});

it("a secret drawn cell by cell is taken out", () => {
  const cells = (text: string, column: number): string[] => [...text].map((c, at) => `\u001b[10;${column + at}H${c}`);
  expect(clean(...cells(SECRET, 5))).toBe(cells("█".repeat(SECRET.length), 5).join(""));
  expect(clean("\u001b[10;1H", ...[...SECRET].map((c, at) => `\u001b[${at + 5}G${c}`))).not.toMatch(/G[^█]/);
  expect(clean("password: ", "\u001b[1;11Hh", "\u001b[1;12Hunter2x9")).toBe(
    "password: \u001b[1;11H█\u001b[1;12H████████",
  );
  // All in one event, which goes on.
  expect(clean(`${cells(SECRET, 5).join("")}${"\r\nmore".repeat(100)}`)).not.toMatch(/5Hg|9HB/);
});

it("a secret is taken out if something else is drawn between its letters", () => {
  const clock = "\u001b[1;70H12:00";
  const halves = [`\u001b[10;5H${SECRET.slice(0, 15)}`, clock, `\u001b[10;20H${SECRET.slice(15)}`];
  expect(clean(...halves)).toBe(`\u001b[10;5H${"█".repeat(15)}${clock}\u001b[10;20H${"█".repeat(SECRET.length - 15)}`);
  const saved = [...SECRET].map((c) => `${c}\u001b7\u001b[1;1H12:00\u001b8`);
  expect(clean("\u001b[10;5H", ...saved)).not.toMatch(/[A-Za-z]\u001b7/);
});

it("a secret whose line is drawn anew with each letter is taken out from its beginning", () => {
  const frames = [...SECRET].map((_, at) => `\r\u001b[K> ${SECRET.slice(0, at + 1)}`);
  expect(clean(...frames)).not.toContain(SECRET.slice(0, 12));
  const moved = [...SECRET].map((_, at) => `\u001b[2J\u001b[${at % 20};3H> ${SECRET.slice(0, at + 1)}`);
  expect(clean(...moved)).not.toContain(SECRET.slice(0, 12));
});

it("words that a program separates by moving the cursor stay words", () => {
  expect(clean("password\u001b[1Cis\u001b[1Chunter2x9")).toBe("password\u001b[1Cis\u001b[1C█████████");
});

it("a doubtful value is refused unless it is taken out too", () => {
  const cast = castOf("see x7Kq2mVb9TzR4wLp8NcYd3HsJf6GaE5u1QoZiMtB there");
  expect(() => redactCast(cast, redactor)).toThrow("may hold a secret");
  const { cast: taken, redacted } = redactCast(cast, redactor, true);
  expect(shown(taken)).toBe(`see ${"█".repeat(40)} there`);
  expect(redacted).toBe(1);
});

it("200 kinds of secrets, cut into pieces and coloured, are all taken out", () => {
  const kinds = secretKinds()
    .filter(
      ({ line, secret }) => !line.includes("BEGIN") && !redactor.text(`${line}\nend`, "", []).includes(core(secret)),
    )
    .slice(0, 200);
  expect(kinds).toHaveLength(200);
  const all = kinds.map(({ line }) => `${line.replaceAll("\n", "\r\n")}\r\n`).join("");
  const pieces: string[] = [];
  for (let at = 0, step = 1; at < all.length; at += step, step = (step * 7 + 3) % 23 || 1) {
    pieces.push(`${all.slice(at, at + step)}\u001b[3${step % 8}m`);
  }
  const { cast } = redactCast(castOf(...pieces), redactor, true);
  // oxlint-disable-next-line no-control-regex -- Colours.
  const text = shown(cast).replaceAll(/\u001b\[\d+m/g, "");
  expect(kinds.filter(({ secret }) => text.includes(core(secret))).map(({ line }) => line)).toEqual([]);
  expect(cast.events).toHaveLength(pieces.length);
});

it("a long recording with nothing but spaces or unfinished sequences takes no time", () => {
  const started = performance.now();
  redactCast(castOf(" ".repeat(300_000), "\u001b]".repeat(100_000), "\u001b[".repeat(100_000)), redactor);
  expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
});

function core(secret: string): string {
  return secret.length < 16 ? secret : secret.slice(-12, -3);
}

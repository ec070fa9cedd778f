import { expect, it } from "vitest";
import { COMMANDS, findCommand } from "../commands.ts";
import { parseInvocation } from "../command.ts";
import { Output } from "../output.ts";
import { isOurs, SKILL } from "./skill-text.ts";

/** A shell's words, as far as the skill uses them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

const LINES = [...SKILL.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, lines]) => lines!.trimEnd().split("\n"));

it.each(LINES)("the skill's command is understood: %s", async (line) => {
  const [, ...argv] = wordsOf(line);
  const { entry, words } = findCommand(argv)!;
  const { default: command } = await entry.load();
  expect(() => parseInvocation(command, argv.slice(words), new Output(false))).not.toThrow();
});

it("the skill is short, and names only commands that exist", () => {
  expect(LINES.length).toBeGreaterThan(8);
  expect(SKILL.length / 4).toBeLessThan(800);
  const named = [...SKILL.matchAll(/`amux ([a-z]+)/g)].map(([, name]) => name!);
  const known = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]!)).add("help");
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it("a changed skill is not ours, another version's is", () => {
  expect(isOurs(SKILL)).toBe(true);
  expect(isOurs(SKILL.replace("amux ls", "amux status"))).toBe(false);
  expect(isOurs(`${SKILL}And more.\n`)).toBe(false);
  expect(isOurs("# My own skill\n")).toBe(false);
});

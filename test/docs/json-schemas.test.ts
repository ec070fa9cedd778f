/** docs/schemas describes what commands print with `--json`. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { publishedSchema, SCHEMAS } from "./schemas/index.ts";

const FOLDER = join(import.meta.dirname, "../../docs/schemas");
const fileOf = (command: string): string => `${command.replaceAll(" ", "-")}.json`;

describe("a published schema", () => {
  it.each(Object.keys(SCHEMAS))("of amux %s is current", async (command) => {
    const text = `${JSON.stringify(publishedSchema(command), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(FOLDER, fileOf(command)));
  });

  it.each(Object.keys(SCHEMAS))("of amux %s spells every object one way", (command) => {
    expect(mixedIn(publishedSchema(command), command)).toEqual([]);
  });

  it("is of an existing command", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(SCHEMAS).map(fileOf).sort());
    const names = new Set(COMMANDS.map(({ name }) => name));
    expect(Object.keys(SCHEMAS).filter((name) => !names.has(name))).toEqual([]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

/** Objects with names in both spellings. */
function mixedIn(schema: unknown, place: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as Schema;
  const names = Object.keys(properties);
  const isMixed = names.some((name) => name.includes("_")) && names.some((name) => /[a-z][A-Z]/.test(name));
  const below = Object.entries(schema).flatMap(([name, part]) => mixedIn(part, `${place}.${name}`));
  return isMixed ? [`${place}: ${names.join(" ")}`, ...below] : below;
}

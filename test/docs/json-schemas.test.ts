/** docs/schemas describes what commands print with `--json`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { publishedSchema, SCHEMAS } from "./schemas/index.ts";

const FOLDER = join(import.meta.dirname, "../../docs/schemas");
const fileOf = (command: string): string => `${command.replaceAll(" ", "-")}.json`;

const PAGE = readFileSync(join(FOLDER, "../json.md"), "utf8");

/** On purpose: a terminal, an exit code, a protocol, lines that are JSON anyway, a shell script. */
const WITHOUT_SCHEMA = ["attach", "wait", "mcp", "daemon log", "completion"];

describe("a published schema", () => {
  it.each(Object.keys(SCHEMAS))("of amux %s is current", async (command) => {
    const text = `${JSON.stringify(publishedSchema(command), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(FOLDER, fileOf(command)));
  });

  it.each(Object.keys(SCHEMAS))("of amux %s spells every object one way", (command) => {
    expect(mixedIn(publishedSchema(command), command)).toEqual([]);
  });

  it("exists for every command that prints a document, and for nothing else", () => {
    const names = COMMANDS.filter(({ isPlumbing }) => isPlumbing !== true).map(({ name }) => name);
    expect([...Object.keys(SCHEMAS), ...WITHOUT_SCHEMA].sort()).toEqual(names.sort());
    // A new one is written after the tests of this file, and is then checked by the first of them.
    const files = new Set(Object.keys(SCHEMAS).map(fileOf));
    expect(readdirSync(FOLDER).filter((file) => !files.has(file))).toEqual([]);
    expect(PAGE).toContain(`${WITHOUT_SCHEMA.map((name) => `\`${name}\``).join(", ")} have none`);
  });

  it("is spelled as docs/json.md says", () => {
    const [list = ""] = /snake_case \(`created_at`\): [^.]*\./.exec(PAGE) ?? [];
    const said = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).slice(1);
    const isSaid = (command: string): boolean =>
      said.some((name) => command === name || command.startsWith(`${name} `));
    for (const command of Object.keys(SCHEMAS)) {
      const spelling = outerSpelling([publishedSchema(command)]);
      if (spelling !== undefined) expect([command, spelling]).toEqual([command, isSaid(command) ? "snake" : "camel"]);
    }
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

/** Of the outermost objects with a name that shows it; undefined if they differ, or no name does. */
function outerSpelling(schemas: readonly unknown[]): "snake" | "camel" | undefined {
  const objects = schemas.flatMap(objectsIn);
  if (objects.length === 0) return undefined;
  const names = objects.flatMap((object) => Object.keys(object));
  const isSnake = names.some((name) => name.includes("_"));
  const isCamel = names.some((name) => /[a-z][A-Z]/.test(name));
  if (isSnake || isCamel) return isSnake && isCamel ? undefined : isSnake ? "snake" : "camel";
  return outerSpelling(objects.flatMap((object) => Object.values(object)));
}

/** The fields of a schema's objects, without those of objects inside. */
function objectsIn(schema: unknown): Record<string, Schema>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, ...others } = schema as Schema;
  return properties === undefined ? Object.values(others).flatMap(objectsIn) : [properties];
}

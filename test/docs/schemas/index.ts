/** What every command prints with `--json`. docs/schemas is made of it, and the tests of the commands check their answers with it. */
import { expect } from "vitest";
import * as z from "zod";
import type { CommandPlace } from "../../support/run-cli.ts";
import { warmCli } from "../../support/warm-cli.ts";
import { CHANGES_SCHEMAS } from "./changes.ts";
import { LIVE_SCHEMAS } from "./live.ts";
import { OWN_SCHEMAS } from "./own.ts";
import { PAST_SCHEMAS } from "./past.ts";

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...CHANGES_SCHEMAS,
  ...PAST_SCHEMAS,
  ...LIVE_SCHEMAS,
  ...OWN_SCHEMAS,
};

/** A reader has to accept fields that later versions add. */
export function publishedSchema(command: string): object {
  const schema = z.toJSONSchema(SCHEMAS[command]!, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format says it.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { title: `amux ${command} --json`, ...schema };
}

/** Runs a command with `--json` and checks what it printed, with no field that is not described. */
export async function checkedJson(
  command: string,
  args: readonly string[],
  place: CommandPlace,
  run = warmCli,
): Promise<unknown> {
  const dashes = args.indexOf("--");
  const at = dashes === -1 ? args.length : dashes;
  const line = [...command.split(" "), ...args.slice(0, at), "--json", ...args.slice(at)];
  const { stdout, stderr } = await run(line, place);
  const value: unknown = stdout === "" ? stderr : JSON.parse(stdout);
  const result = SCHEMAS[command]!.safeParse(value);
  expect(result.error?.issues ?? [], `amux ${line.join(" ")}: ${stdout.slice(0, 500)}`).toEqual([]);
  return value;
}

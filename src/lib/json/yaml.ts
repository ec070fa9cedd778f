/** Settings in YAML. Scalars stay text: who reads them knows what they are meant to be. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

/** Throws an error that names the line. An empty file is an empty mapping. */
export function parseYaml(source: string): unknown {
  // Few projects have such settings, and it takes longer to load than most commands.
  const { parseDocument } = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const document = parseDocument(source, { schema: "failsafe", prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    // What follows the first line shows the place in the file.
    const [what] = error.message.split(/ at line \d+/);
    throw new Error(`line ${error.linePos?.[0].line ?? 1}: ${what}`, { cause: error });
  }
  return document.toJS() || {};
}

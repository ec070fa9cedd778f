/** Finds programs that the build puts beside the command or its chunks. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function builtFile(name: string): string {
  const paths = ["./", "../"].map((place) => fileURLToPath(new URL(`${place}${name}`, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

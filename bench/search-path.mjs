/** A program on the PATH. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export function findOnPath(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path));
}

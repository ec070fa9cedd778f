import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { DirectoryWatcher } from "./directory-watcher.ts";

it.each([
  ["removed", (directory: string) => rmSync(directory, { recursive: true })],
  ["moved away", (directory: string) => renameSync(directory, `${directory}-before`)],
])("watches a directory that was %s and is there again", async (_, vanish) => {
  const directory = join(tempHome().path, "watched");
  mkdirSync(directory);
  const names: (string | undefined)[] = [];
  const watcher = new DirectoryWatcher(({ name }) => names.push(name));
  onTestFinished(() => watcher.close());
  watcher.add(directory);
  vanish(directory);
  mkdirSync(directory);
  await expect.poll(() => names).toContain("watched");
  watcher.add(directory);
  writeFileSync(join(directory, "later"), "");
  await expect.poll(() => names).toContain("later");
});

/** Writes or removes the skill file at each place, and says what came of it. The exit code. */
import { attempted } from "../hooked-agents.ts";
import type { Output } from "../output.ts";
import type { SkillPlace } from "./skill-file.ts";

export async function reportSkills(
  output: Output,
  places: readonly SkillPlace[],
  act: (path: string) => boolean,
  words: { changed: string; same: string },
): Promise<number> {
  const results = places.map(({ adapter, path }) => ({ adapter, path, ...attempted(() => act(path)) }));
  if (output.json) {
    await output.writeJson(
      results.map(({ adapter, path, changed, error }) => ({
        agent: adapter.name,
        path,
        changed,
        ...(error ? { error: error.message } : {}),
      })),
    );
  } else {
    for (const { adapter, path, changed, error } of results) {
      if (error) output.note(`${adapter.displayName}: ${error.message}`);
      else await output.write(`${adapter.displayName}: ${changed ? words.changed : words.same} ${path}\n`);
    }
  }
  return results.some(({ error }) => error !== undefined) ? 1 : 0;
}

import { join } from "node:path";
import { expect, it } from "vitest";
import { blamed, cloneOf, madeDay } from "../support/blame-day.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { envOf, makeArchive, pushFrom } from "./support/archive.ts";
import { sharedPostgres } from "./support/postgres.ts";

const FILE = "src/claude-made.js";

it("amux blame names the session in an archive, and in a directory pulled from it", async () => {
  const day = madeDay();
  const postgres = await sharedPostgres();
  const archive = await makeArchive(postgres);
  await pushFrom(archive, "alice", envOf(day.home));
  const options = { home: tempHome().path, cwd: cloneOf(day) };
  const own = await blamed([FILE], { home: day.home, cwd: day.repo });
  const bundle = join(options.home, "pulled");
  const pulled = await warmCli(["archive", "pull", bundle, "--from", archive.address("alice")], options);
  expect(pulled.code, pulled.stderr).toBe(0);
  for (const place of [archive.address("alice"), bundle]) {
    const found = await blamed([FILE, "--archive", place], options);
    expect(found.lines).toEqual(own.lines);
    expect(found.sessions.map(({ unifiedId, proved, machine }) => [unifiedId, proved, machine])).toEqual(
      own.sessions.map(({ unifiedId, proved }) => [unifiedId, proved, "archive"]),
    );
    expect(found.ranges[0]).toMatchObject({ prompt: "Task 0001: improve the shop." });
  }
});

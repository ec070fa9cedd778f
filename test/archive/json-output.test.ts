/** The archive's commands print with `--json` what docs/schemas says. */
import { join } from "node:path";
import { beforeAll, it } from "vitest";
import { checkedJson } from "../docs/schemas/index.ts";
import { tempHome } from "../support/temp-home.ts";
import { makeArchive, recordedHome } from "./support/archive.ts";
import { sharedPostgres, type Postgres } from "./support/postgres.ts";

let postgres: Postgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

it("commands of the archive", async () => {
  const archive = await makeArchive(postgres);
  const home = recordedHome(tempHome().path, ["codex"]);
  const check = (command: string, ...args: string[]): Promise<unknown> => checkedJson(command, args, { home });
  const keeper = ["--to", archive.address("keeper")];
  await check("archive init", ...keeper);
  await check("archive members", ...keeper);
  await check("archive use", archive.address("alice"));
  await check("archive review");
  await check("archive push");
  await check("archive share", "--all", "--team", "red");
  await check("archive shared");
  await check("archive status");
  await check("archive pull", join(home, "pulled"));
  await check("archive purge", "--pattern", "health", "--dry-run");
  await check("archive retention");
  await check("archive retention", "--older-than", "1y");
  await check("archive push", "--every", "1h");
  await check("archive status");
});

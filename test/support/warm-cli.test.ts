import { expect, test } from "vitest";
import { runCli } from "./run-cli.ts";
import { tempHome } from "./temp-home.ts";
import { warmCli } from "./warm-cli.ts";

test("a command in a process that is already running says the same as in its own", async () => {
  const { path: home } = tempHome();
  const place = { home, cwd: home, vars: { COLUMNS: "80" } };
  for (const args of [
    ["ls"],
    ["ls", "--json"],
    ["kill", "nobody"],
    ["kill", "nobody", "--json"],
    ["no-such-command"],
  ]) {
    const own = await runCli(args, place);
    // The second one finds the traces of the first.
    for (let times = 0; times < 2; times++) expect([args, await warmCli(args, place)]).toEqual([args, own]);
  }
});

test("commands at the same time have their own variables, directories and outputs", async () => {
  const homes = Array.from({ length: 4 }, () => tempHome().path);
  const said = await Promise.all(homes.map((home) => warmCli(["trust"], { home, cwd: home })));
  expect(said.map(({ stderr }) => homes.filter((home) => stderr.includes(home)))).toEqual(homes.map((home) => [home]));
});

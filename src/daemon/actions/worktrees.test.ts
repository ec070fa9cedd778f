import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { addWorktree } from "./worktrees.ts";

it("many worktrees of one repository requested at once are all added, each with its own name", async () => {
  const home = tempHome().path;
  const root = join(home, "shop");
  mkdirSync(root);
  const vars = { PATH: process.env["PATH"] ?? "", HOME: home };
  const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", ["init", "-q"], { cwd: root, env: vars });
  execFileSync("git", [...who, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: root, env: vars });
  const asked = Array.from({ length: 6 }, (_, at) => addWorktree(root, at < 3 ? {} : { branch: `b${at}` }, vars));
  const places = await Promise.all(asked);
  const names = ["amux-1", "amux-2", "amux-3", "b3", "b4", "b5"];
  expect(places.sort()).toEqual(names.map((name) => join(home, "shop.worktrees", name)));
});

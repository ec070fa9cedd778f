import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { Workspaces } from "./workspaces.ts";

/** Looks at paths below `dead` never end. */
function workspacesBeside(dead: string): Workspaces {
  const look = (path: string): Promise<unknown> =>
    path.includes(dead) ? new Promise(() => undefined) : Promise.resolve();
  return new Workspaces(new AnsweringDirectories(() => undefined, look, 1));
}

describe("a directory's repository", () => {
  it("is found by way of a pointer", async () => {
    const { path: home } = tempHome();
    mkdirSync(join(home, "main/.git/worktrees/fix"), { recursive: true });
    writeFileSync(join(home, "main/.git/worktrees/fix/commondir"), "../..\n");
    mkdirSync(join(home, "fix/src"), { recursive: true });
    writeFileSync(join(home, "fix/.git"), `gitdir: ${join(home, "main/.git/worktrees/fix")}\n`);
    expect(await workspacesBeside("nothing").of(join(home, "fix/src"))).toEqual({ workspace_root: join(home, "main") });
  });

  it.each(["git", "jj"])("is not looked at on a dead mount that a file of %s points to", async (tool) => {
    const { path: home } = tempHome();
    // A read there would succeed, and give a remote.
    mkdirSync(join(home, "dead/repo/store"), { recursive: true });
    writeFileSync(join(home, "dead/config"), '[remote "origin"]\n\turl = https://example.com/x\n');
    mkdirSync(join(home, "shop/.jj"), { recursive: true });
    if (tool === "git") writeFileSync(join(home, "shop/.git"), `gitdir: ${join(home, "dead")}\n`);
    else writeFileSync(join(home, "shop/.jj/repo"), join(home, "dead/repo"));
    const { remotes } = await workspacesBeside(join(home, "dead")).of(join(home, "shop"));
    expect(remotes).toBeUndefined();
  });

  it("is not looked at by way of a link to a dead mount", async () => {
    const { path: home } = tempHome();
    mkdirSync(join(home, "shop"));
    mkdirSync(join(home, "dead"));
    symlinkSync(join(home, "dead"), join(home, "shop/.git"));
    expect(await workspacesBeside(".git").of(join(home, "shop"))).toEqual({});
  });
});

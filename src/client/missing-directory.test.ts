import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { missingDirectory } from "./missing-directory.ts";

it("a directory's name puts no command of its own into the one to paste", () => {
  const repository = join(tempHome().path, "my repo");
  mkdirSync(repository);
  expect(missingDirectory(`${repository}.worktrees/x; touch PWNED`)).toContain(
    `git -C '${repository}' worktree add '${repository}.worktrees/x; touch PWNED' makes a new one there.`,
  );
  expect(missingDirectory(`${repository}.worktrees/x\n\u001b[31mred`)).not.toContain("git -C");
  expect(missingDirectory("/no/such")).toBe("The directory /no/such does not exist.");
});

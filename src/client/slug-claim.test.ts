/** Slugs of many sessions of one program. */
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { claimSlug } from "./slug-claim.ts";

const MANY = 300;

function sessions(home: string): (n: number) => string {
  return (n) => {
    const id = `sess-${String(n).padStart(8, "0")}`;
    mkdirSync(sessionFiles({ home }, id).directory, { recursive: true });
    return id;
  };
}

it("a launch beside hundreds of sessions of the same program takes no lock for each of them", () => {
  const { path: home } = tempHome();
  const session = sessions(home);
  mkdirSync(join(home, "slugs"));
  for (let n = 1; n <= MANY; n++) {
    symlinkSync(sessionFiles({ home }, session(n)).directory, join(home, "slugs", n === 1 ? "sh" : `sh-${n}`));
  }
  const last = session(MANY + 1);
  // Another process has the lock: waiting a second for each slug would exceed the deadline.
  const claimed = withLock(join(home, "slugs", ".lock"), 1000, () => claimSlug({ home }, "sh", last));
  expect(claimed?.result).toBe(`sh-${MANY + 1}`);
});

it("keeps its own slug, and takes over that of a removed session", () => {
  const { path: home } = tempHome();
  const session = sessions(home);
  const [first, second, third] = [session(1), session(2), session(3)];
  expect([first, second].map((id) => claimSlug({ home }, "sh", id))).toEqual(["sh", "sh-2"]);
  expect(claimSlug({ home }, "sh", second)).toBe("sh-2");
  rmSync(sessionFiles({ home }, first).directory, { recursive: true });
  expect(claimSlug({ home }, "sh", third)).toBe("sh");
  expect(readdirSync(join(home, "slugs")).sort()).toEqual(["sh", "sh-2"]);
});

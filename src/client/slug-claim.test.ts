/** Slugs of many sessions of one program. */
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { sessionFiles } from "../protocol/session-files.ts";
import { claimSlug } from "./slug-claim.ts";

vi.mock("node:fs", { spy: true });

const MANY = 300;

beforeEach(() => {
  vi.clearAllMocks();
});

function sessions(home: string): (n: number) => string {
  return (n) => {
    const id = `sess-${String(n).padStart(8, "0")}`;
    fs.mkdirSync(sessionFiles({ home }, id).directory, { recursive: true });
    return id;
  };
}

function calls(): number {
  return Object.values(fs).reduce((sum, call) => sum + (vi.isMockFunction(call) ? call.mock.calls.length : 0), 0);
}

it("a launch beside a thousand sessions of the same program does not lock and change files for each of them", () => {
  const { path: home } = tempHome();
  const session = sessions(home);
  fs.mkdirSync(join(home, "slugs"));
  for (let n = 1; n <= MANY; n++) {
    fs.symlinkSync(sessionFiles({ home }, session(n)).directory, join(home, "slugs", n === 1 ? "sh" : `sh-${n}`));
  }
  const last = session(MANY + 1);
  vi.clearAllMocks();
  expect(claimSlug({ home }, "sh", last)).toBe(`sh-${MANY + 1}`);
  expect(fs.linkSync).not.toHaveBeenCalled();
  expect(fs.symlinkSync).toHaveBeenCalledOnce();
  // Two for each slug that is taken, and a few of its own.
  expect(calls()).toBeLessThan(2 * MANY + 20);
});

it("keeps its own slug, and takes over that of a removed session", () => {
  const { path: home } = tempHome();
  const session = sessions(home);
  const [first, second, third] = [session(1), session(2), session(3)];
  expect([first, second].map((id) => claimSlug({ home }, "sh", id))).toEqual(["sh", "sh-2"]);
  expect(claimSlug({ home }, "sh", second)).toBe("sh-2");
  fs.rmSync(sessionFiles({ home }, first).directory, { recursive: true });
  expect(claimSlug({ home }, "sh", third)).toBe("sh");
  expect(fs.readdirSync(join(home, "slugs")).sort()).toEqual(["sh", "sh-2"]);
});

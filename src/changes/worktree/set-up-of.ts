/** A repository's set-up command, for somebody who wants to trust it. */
import type { ProjectPrograms } from "../../status/trust.ts";
import { checkoutOf } from "./repository.ts";
import { readWorktreeSettings, setUpPrograms } from "./worktree-settings.ts";

/** Undefined outside of a repository, and without a command. */
export async function setUpOf(cwd: string): Promise<ProjectPrograms | undefined> {
  const checkout = await checkoutOf(cwd);
  const setup = checkout && readWorktreeSettings(checkout.top)?.setup;
  return setup === undefined ? undefined : setUpPrograms(checkout!.root, checkout!.top, setup);
}

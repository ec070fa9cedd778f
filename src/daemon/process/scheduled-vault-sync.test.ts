import { join } from "node:path";
import { expect, it } from "vitest";
import { completeLines } from "../../../test/support/complete-lines.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { AgentEnv } from "../../agents/adapter.ts";
import { Vault } from "../../history/vault/vault.ts";
import { BackgroundCommand } from "./background-command.ts";
import { Log } from "./log.ts";
import { ScheduledVaultSync } from "./scheduled-vault-sync.ts";

const MINUTE = 60_000;

function daemon(then = "") {
  const home = tempHome();
  const env: AgentEnv = {
    home: home.path,
    platform: "linux",
    vars: { AMUX_TOKEN: "secret", PATH: process.env["PATH"] },
  };
  const starts = join(home.path, "starts");
  const say = `process.argv.slice(2).join(" ") + " " + (process.env.AMUX_TOKEN ?? "no token") + "\\n"`;
  const source = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, ${say});\n${then}`;
  const program = home.write("program.cjs", source);
  return {
    vault: new Vault(env),
    syncs: new ScheduledVaultSync(env, new BackgroundCommand(env, new Log(join(home.path, "log")), program)),
    started: () => completeLines(starts),
  };
}

it("the daemon copies into the vault every half hour, only while it is enabled", async () => {
  const { vault, syncs, started } = daemon();
  const now = Date.now();
  await syncs.look(now);
  expect(started()).toEqual([]);
  vault.enable();
  await syncs.look(now);
  await syncs.look(now + 29 * MINUTE);
  expect(started()).toEqual(["vault sync --settled no token"]);
  await syncs.look(now + 31 * MINUTE);
  expect(started()).toHaveLength(2);
  vault.disable();
  await syncs.look(now + 90 * MINUTE);
  expect(started()).toHaveLength(2);
});

it("a sync ends with its daemon", async () => {
  const { vault, syncs, started } = daemon("setInterval(() => undefined, 1000);");
  vault.enable();
  const looked = syncs.look();
  await waitFor("the sync", () => started().length > 0);
  await syncs.close();
  await looked;
  await syncs.look(Date.now() + 90 * MINUTE);
  expect(started()).toHaveLength(1);
});

/** The program text that passes events on, run by a stand-in for the agent. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { patience } from "../../hook/patience.ts";
import { senderSource } from "./hook-sender.ts";

const LISTENED = { PATH: process.env["PATH"], AMUX_SOCKET: "/nowhere" };

it("delivers the last event through a hook program that takes longer than usual, with patience for it", () => {
  const home = tempHome();
  const taken = join(home.path, "taken");
  const script = home.write(
    "slow-hook.cjs",
    `const event = require("node:fs").readFileSync(0, "utf8");
     setTimeout(() => require("node:fs").writeFileSync(${JSON.stringify(taken)}, event), 2000);`,
  );
  const main = home.write(
    "main.mjs",
    `${senderSource({ node: process.execPath, script }, "pi")}\nsendNow({ event: "session_shutdown" });\nprocess.exit(0);`,
  );
  const env = { ...LISTENED, AMUX_HOOK_PATIENCE: "20" };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: "utf8" });
  expect({ status, stderr, isTaken: existsSync(taken) }).toEqual({ status: 0, stderr: "", isTaken: true });
  expect(JSON.parse(readFileSync(taken, "utf8"))).toMatchObject({ event: "session_shutdown" });
});

it("counts the patience as the hook program does", () => {
  const values = [undefined, "", "many", "-2", "0.5", "1", "1.3333", "20", "100", "101", "Infinity"];
  const sender = senderSource({ node: "node", script: "amux-hook.cjs" }, "pi");
  const main = tempHome().write(
    "main.mjs",
    `${sender.replace(/^import .*$/m, "const timeouts = [];\nconst spawnSync = (program, args, { timeout }) => timeouts.push(timeout);")}
     for (const value of ${JSON.stringify(values)}) {
       if (value === null) delete process.env.AMUX_HOOK_PATIENCE;
       else process.env.AMUX_HOOK_PATIENCE = value;
       sendNow({});
     }
     process.stdout.write(JSON.stringify(timeouts));`,
  );
  const { stdout } = spawnSync(process.execPath, [main], { env: LISTENED, encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual(values.map((value) => patience(1500, { AMUX_HOOK_PATIENCE: value })));
});

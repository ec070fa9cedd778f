/** CPU cost of a command from start to end, compared with an empty Node. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../scripts/setup.mjs";
import { cpuOf, median } from "./stage.mjs";

const TIMES = 10;
const ROUNDS = 3;
const AMUX = join(root, "dist/amux.cjs");

export async function measureStart(stage) {
  const node = (...args) => [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const commands = {
    nothing: node("-e", "0"),
    version: node(AMUX, "--version"),
    ls: node(AMUX, "ls"),
    run: node(AMUX, "run", "--", "true"),
  };
  for (let number = 0; number < 5; number++) await stage.amuxSession("exec sleep 600");
  const runners = [];
  for (let number = 0; number < TIMES; number++) runners.push(cpuOf((await stage.amuxSession("exec sleep 600")).pid));
  const used = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ["nothing", "version", "ls"]) used[name].push(cpuOfCommand(stage, commands[name]));
  }
  // Last, because each leaves a session that is listed.
  for (let round = 0; round < ROUNDS; round++) used.run.push(cpuOfCommand(stage, commands.run));
  await stage.endAmux();
  const of = (name) => median(used[name]);
  const row = (what, value, bar, note) => stage.row({ what, value, peer: of("nothing"), unit: "ms", bar, note });
  row("amux --version: CPU", of("version"), 2, "peer: node -e 0");
  row("amux ls, 15 sessions: CPU", of("ls"), 2, "peer: node -e 0");
  row("amux run -- true: CPU, the session's own included", of("run") + median(runners) * 1000, 6, "peer: node -e 0");
}

/** CPU milliseconds of one run, from the shell's account of its children. */
function cpuOfCommand(stage, command) {
  const script = `for i in $(seq ${TIMES}); do ${command} > /dev/null 2>&1 < /dev/null; done; times`;
  const text = execFileSync("bash", ["-c", script], { env: stage.env, encoding: "utf8" });
  const children = text.trim().split("\n").at(-1);
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  // Includes the shell's fork of `seq`, the same for all.
  return (seconds.reduce((sum, value) => sum + value, 0) * 1000) / TIMES;
}

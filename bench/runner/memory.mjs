/** Cost of unattended sessions: memory of one and of twenty with a full history, and CPU time. */
import { join } from "node:path";
import { writeLines } from "./output.mjs";
import { cpuOf, memoryOf, sleep } from "./stage.mjs";

/** More than both keep, so that both are full. */
const LINES = 12_000;
const KEPT_LINES = 10_000;

const SESSIONS = 20;
const MAX_PRIVATE_MB = 14;

/** Memory is returned four seconds after the last output, and V8 collects once more; then nothing happens. */
const REST_MS = 20_000;
const IDLE_MS = 5000;

export async function measureMemory(stage) {
  const idle = await stage.amuxSession("echo ready; exec sleep 600");
  await sleep(REST_MS);
  const before = cpuOf(idle.pid);
  await sleep(IDLE_MS);
  const used = (cpuOf(idle.pid) - before) * 1000;
  stage.row({
    what: "an idle session: private memory",
    value: memoryOf(idle.pid).private,
    unit: "MB",
    bar: MAX_PRIVATE_MB,
  });
  stage.row({ what: `an idle session: CPU in ${IDLE_MS / 1000} s`, value: used, unit: "ms", bar: 1 });
  await stage.endAmux();

  const file = join(stage.directory, "lines");
  writeLines(file, LINES);
  const script = `cat ${file}; exec sleep 600`;
  const holders = [];
  for (let number = 0; number < SESSIONS; number++) {
    const { pid, socket } = await stage.amuxSession(script);
    holders.push({ pid, socket });
  }
  await sleep(REST_MS);
  const pss = holders.reduce((sum, { pid }) => sum + memoryOf(pid).pss, 0);
  const own = holders.reduce((sum, { pid }) => sum + memoryOf(pid).private, 0) / SESSIONS;
  const kept = [await linesKept(stage, holders[0].socket)];
  await stage.endAmux();

  const { pid } = await stage.tmuxServer(script);
  for (let number = 1; number < SESSIONS; number++) {
    await stage.tmux("new-session", "-d", "-x", "80", "-y", "24", script);
    await sleep(200);
  }
  await sleep(3000);
  const peer = memoryOf(pid).pss;
  kept.push(Number((await stage.tmux("display", "-p", "#{history_size}")).stdout));
  // One counts rows, the other whole lines, and both drop old ones in blocks.
  if (kept.some((lines) => lines < 0.8 * KEPT_LINES)) throw new Error(`histories of ${kept.join(" and ")} lines`);
  await stage.endTmux();
  stage.row({ what: `${SESSIONS} sessions of 10,000 lines: PSS`, value: pss, peer, unit: "MB", bar: 3 });
  stage.row({ what: "one of them: private memory", value: own, unit: "MB" });
}

async function linesKept(stage, socket) {
  const connection = await stage.parts.openShimConnection(socket);
  const lines = new Promise((resolve) => {
    connection.subscribe((event) => event._tag === "snapshot" && resolve(event.state.historyLines));
  });
  connection.send({ _tag: "attach", ptyId: "pty-1" });
  return lines.finally(() => connection.close());
}

/** What sessions cost that nobody looks at: memory of one and of twenty with a full history, and processor time. */
import { join } from "node:path";
import { writeOutput } from "./output.mjs";
import { cpuOf, memoryOf, sleep } from "./stage.mjs";

const SESSIONS = 20;
const MAX_PRIVATE_MB = 14;

/** Memory is given back four seconds after the output has stopped. */
const REST_MS = 9000;
/** V8 tidies up once more after a while; then nothing happens any more. */
const IDLE_REST_MS = 18_000;
const IDLE_MS = 5000;

export async function measureMemory(stage) {
  const idle = await stage.amuxSession("echo ready; exec sleep 600");
  await sleep(IDLE_REST_MS);
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
  writeOutput(file, "mixed", 6);
  const script = `cat ${file}; exec sleep 600`;
  const holders = [];
  for (let number = 0; number < SESSIONS; number++) holders.push((await stage.amuxSession(script)).pid);
  await sleep(REST_MS);
  const pss = holders.reduce((sum, pid) => sum + memoryOf(pid).pss, 0);
  const own = holders.reduce((sum, pid) => sum + memoryOf(pid).private, 0) / SESSIONS;
  await stage.endAmux();

  const { pid } = await stage.tmuxServer(script);
  for (let number = 1; number < SESSIONS; number++) {
    await stage.tmux("new-session", "-d", "-x", "80", "-y", "24", script);
    await sleep(200);
  }
  await sleep(3000);
  const peer = memoryOf(pid).pss;
  await stage.endTmux();
  stage.row({ what: `${SESSIONS} sessions of 10,000 lines: PSS`, value: pss, peer, unit: "MB", bar: 3 });
  stage.row({ what: "one of them: private memory", value: own, unit: "MB" });
}

/** A flood through a session with emulator and 10,000 lines of history, with and without a viewer. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS, writeOutput } from "./output.mjs";
import { cpuOf, median, sleep, until } from "./stage.mjs";

const BARS = { mixed: 0.7, repaint: 0.75, plain: 1.1 };
const BAR_WITH_VIEWER = 1.1;

/** Work postponed until after the flood (packing the history) is included. */
const SETTLE_MS = 2500;

export async function measureThroughput(stage, { megabytes, repeat }, withViewer) {
  const file = join(stage.directory, "flood");
  for (const kind of KINDS) {
    writeOutput(file, kind, megabytes);
    const amux = [];
    const tmux = [];
    for (let round = 0; round < repeat; round++) {
      tmux.push(await flood(stage, file, new TmuxSide(stage), withViewer));
      amux.push(await flood(stage, file, new AmuxSide(stage), withViewer));
    }
    rmSync(file);
    const bar = withViewer ? BAR_WITH_VIEWER : BARS[kind];
    const what = `${megabytes} MB ${kind}${withViewer ? ", with a viewer" : ""}`;
    const of = (runs, field) => median(runs.map((run) => run[field]));
    stage.row({ what: `${what}: time`, value: of(amux, "seconds"), peer: of(tmux, "seconds"), unit: "s", bar });
    stage.row({ what: `${what}: CPU`, value: of(amux, "cpu"), peer: of(tmux, "cpu"), unit: "s", bar });
  }
}

async function flood(stage, file, side, withViewer) {
  const [go, end] = [join(stage.directory, "go"), join(stage.directory, "end")];
  for (const path of [go, end]) rmSync(path, { force: true });
  const script = `until test -e ${go}; do sleep 0.02; done; date +%s%N > ${go}; cat ${file}; date +%s%N > ${end}; sleep 600`;
  const holder = await side.start(script);
  const viewer = withViewer ? await look(side) : undefined;
  const pids = viewer === undefined ? [holder] : [holder, viewer.pid];
  const before = pids.map(cpuOf);
  writeFileSync(go, "");
  await until(() => existsSync(end) && statSync(end).size > 10);
  await sleep(SETTLE_MS);
  const cpu = pids.reduce((sum, pid, at) => sum + cpuOf(pid) - before[at], 0);
  const seconds = (Number(readFileSync(end, "utf8")) - Number(readFileSync(go, "utf8"))) / 1e9;
  viewer?.kill("SIGKILL");
  await side.end();
  return { seconds, cpu };
}

/** A terminal that shows something is attached. */
async function look(side) {
  const terminal = side.attach();
  let shown = 0;
  terminal.onData((data) => (shown += data.length));
  await until(() => shown > 0);
  await sleep(300);
  return terminal;
}

class TmuxSide {
  constructor(stage) {
    this.stage = stage;
  }

  async start(script) {
    return (await this.stage.tmuxServer(script)).pid;
  }

  attach() {
    return this.stage.attachTmux();
  }

  end() {
    return this.stage.endTmux();
  }
}

class AmuxSide {
  constructor(stage) {
    this.stage = stage;
  }

  async start(script) {
    const { id, pid } = await this.stage.amuxSession(script);
    this.id = id;
    return pid;
  }

  attach() {
    return this.stage.attachAmux(this.id);
  }

  end() {
    return this.stage.endAmux();
  }
}

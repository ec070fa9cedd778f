/**
 * A random schedule of everything that can happen to terminals, runners, viewers and the daemon; a model checks each step. The
 * same seed gives the same schedule; `npm run torture` makes it long.
 */
import { expect, test } from "vitest";
import { Machine } from "./chaos/machine.ts";
import type { ModelSession } from "./chaos/model.ts";
import { BURST_LINES } from "./chaos/line-program.ts";
import { World } from "./chaos/world.ts";
import { Random } from "./fuzz/random.ts";
import { figure, isLong, seed } from "./long-form.ts";
import { TEST_DEADLINE_MS } from "../support/deadline.ts";

const STEPS = Number(process.env["AMUX_TORTURE_STEPS"] ?? (isLong ? 3000 : 25));
const MAX_RUNNING = isLong ? 30 : 5;

test(
  "whatever is killed, stopped or removed, no answered request is lost and no process is left over",
  async () => {
    const machine = new Machine();
    await machine.daemon.start();
    const world = new World(machine);
    const random = new Random(seed);
    const done: Record<string, number> = {};
    await world.launch();
    for (let step = 0; step < STEPS; step++) {
      let act = "nothing";
      try {
        await world.release();
        const chosen = choose(world, random);
        act = chosen.name;
        await chosen.act();
        await world.check(step % 10 === 9 ? world.model.awake() : chosen.touched);
      } catch (error) {
        throw new Error(`Seed ${seed}, step ${step}, ${act}`, { cause: error });
      }
      done[act] = (done[act] ?? 0) + 1;
      if (isLong && step % 100 === 99) process.stderr.write(`chaos, step ${step + 1} of ${STEPS}\n`);
    }
    await world.endAll();
    figure("chaos", { seed, steps: STEPS, sessions: world.model.sessions.length, ...world.model.figures });
    for (const [act, times] of Object.entries(done).toSorted()) figure("chaos: acts", { act, times });
    expect(await world.judge.leftovers()).toEqual([]);
  },
  isLong ? 7_200_000 : Math.max(TEST_DEADLINE_MS, STEPS * 3000),
);

interface Act {
  name: string;
  touched: readonly ModelSession[];
  act(): unknown;
}

/** Picks the next act, by frequency out of a hundred. */
function choose(world: World, random: Random): Act {
  const { machine, model } = world;
  const running = model.awake();
  const room = model.of("running").length < MAX_RUNNING;
  const launch = { name: "launch", touched: [], act: () => world.launch() };
  if (running.length === 0 || (room && random.oneIn(4))) return launch;
  const over = [...model.of("ended"), ...model.of("runner killed")];
  if (over.length > 0 && random.oneIn(20)) {
    const session = random.pick(over);
    return { name: "dismiss", touched: [], act: () => world.dismiss(session) };
  }
  if (over.length > 0 && room && random.oneIn(12)) {
    const session = random.pick(over);
    return { name: "resume", touched: [session], act: () => world.resume(session) };
  }
  const session = random.pick(running);
  const other = random.pick(running);
  const some = random.below(BURST_LINES);
  const [cols, rows] = [20 + random.below(150), 5 + random.below(50)];
  const acts: [share: number, name: string, act: () => unknown, isPossible?: boolean][] = [
    [24, "type", () => world.type(session)],
    [8, "burst", () => world.burst(session), model.hasRoom(session)],
    [8, "attach", () => world.attach(session)],
    [6, "detach", () => world.detach(session)],
    [10, "resize", () => world.resize(session, cols, rows)],
    [5, "end", () => world.end(session)],
    [2, "kill program", () => world.killProgram(session)],
    [2, "kill program in a burst", () => world.killProgramInBurst(session, some, false), model.hasRoom(session)],
    [2, "kill program, runner still", () => world.killProgramInBurst(session, some, true), model.hasRoom(session)],
    [3, "kill runner", () => world.killRunner(session)],
    [4, "kill runner in a burst", () => world.killRunnerInBurst(session, some), model.hasRoom(session)],
    [3, "kill viewer", () => world.killViewer(session)],
    [2, "freeze", () => world.freeze(session, isLong ? 5000 * random.next() : 300)],
    [2, "stop for a minute", () => world.holdRunner(session, isLong ? 60_000 : 3000), model.hasRoom(session)],
    [1, "freeze daemon", () => world.freezeDaemon(isLong ? 5000 * random.next() : 300)],
    [3, "remove socket", () => world.removeSocket(session)],
    [2, "replace daemon", () => world.replaceDaemon()],
    [1, "upgrade daemon", () => machine.upgradeDaemon()],
    [3, "starve daemon", () => world.starveDaemon(20)],
    [2, "starve runner", () => world.starveRunner(session)],
    [2, "fill disk", () => world.fillDisk([session, other]), machine.can.fillDisk],
    [3, "jump clock", () => machine.jumpClock(Math.round((random.next() - 0.5) * 2e8)), machine.can.jumpClock],
    [3, "kill daemon", () => world.killDaemon()],
  ];
  const possible = acts.filter(([, , , isPossible = true]) => isPossible);
  let dice = random.below(possible.reduce((sum, [share]) => sum + share, 0));
  const [, name, act] = possible.find(([share]) => (dice -= share) < 0)!;
  return { name, touched: [session, other], act };
}

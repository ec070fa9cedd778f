/**
 * A random schedule of everything that can happen to terminals, runners, viewers and the daemon; after each step a model
 * says what must still be true. The same seed gives the same schedule. `npm run torture` makes it long.
 */
import { expect, test } from "vitest";
import { Machine } from "./chaos/machine.ts";
import { World } from "./chaos/world.ts";
import { Random } from "./fuzz/random.ts";
import { figure, isLong, seed } from "./long-form.ts";

const STEPS = isLong ? 3000 : 40;
const MAX_RUNNING = isLong ? 30 : 5;

test(
  "whatever is killed, stopped or taken away, nothing that was answered is lost and nobody is left over",
  async () => {
    const machine = new Machine();
    await machine.daemon.start();
    const world = new World(machine);
    const random = new Random(seed);
    const done: Record<string, number> = {};
    await world.launch();
    for (let step = 0; step < STEPS; step++) {
      const act = await oneAct(world, random);
      done[act] = (done[act] ?? 0) + 1;
      try {
        await world.settle();
        if (step % 10 === 9 || act === "kill runner") await world.check();
      } catch (error) {
        throw new Error(`Seed ${seed}, step ${step}, ${act}`, { cause: error });
      }
    }
    await world.endAll();
    await world.check();
    figure("chaos", { steps: STEPS, sessions: world.model.sessions.length, ...done });
    expect(await world.leftovers()).toEqual([]);
  },
  isLong ? 7_200_000 : 120_000,
);

/** By how often they happen, of a hundred. */
async function oneAct(world: World, random: Random): Promise<string> {
  const { machine, model } = world;
  const running = model.of("running");
  if (running.length === 0 || (running.length < MAX_RUNNING && random.oneIn(4))) return told("launch", world.launch());
  const over = [...model.of("ended"), ...model.of("runner killed")];
  if (over.length > 0 && random.oneIn(20)) return told("dismiss", world.dismiss(random.pick(over)));
  if (over.length > 0 && running.length < MAX_RUNNING && random.oneIn(12)) {
    return told("resume", world.resume(random.pick(over)));
  }
  const session = random.pick(running);
  const acts: [share: number, name: string, act: () => unknown][] = [
    [34, "type", () => world.type(session)],
    [10, "attach", () => world.attach(session)],
    [8, "detach", () => world.detach(session)],
    [10, "resize", () => world.resize(session, 20 + random.below(150), 5 + random.below(50))],
    [5, "end", () => world.end(session)],
    [5, "kill program", () => world.killProgram(session)],
    [6, "kill runner", () => world.killRunner(session)],
    [3, "freeze", () => world.freeze(session, isLong ? 60_000 * random.next() ** 8 : 300)],
    [3, "remove socket", () => world.removeSocket(session)],
    [2, "replace daemon", () => world.replaceDaemon()],
    [1, "upgrade daemon", () => machine.upgradeDaemon()],
    [3, "starve daemon", () => world.starveDaemon(20)],
    [2, "starve runner", () => world.starveRunner(session)],
    [2, "fill disk", () => world.fillDisk([session, random.pick(running)])],
    [3, "jump clock", () => machine.jumpClock(Math.round((random.next() - 0.5) * 2e8))],
    [3, "kill daemon", () => world.killDaemon()],
  ];
  const possible = acts.filter(
    ([, name]) => (machine.can.fillDisk || name !== "fill disk") && (machine.can.jumpClock || name !== "jump clock"),
  );
  let dice = random.below(possible.reduce((sum, [share]) => sum + share, 0));
  const [, name, act] = possible.find(([share]) => (dice -= share) < 0)!;
  return told(name, act());
}

async function told(name: string, act: unknown): Promise<string> {
  await act;
  return name;
}

/**
 * A random schedule of everything that can happen to terminals, runners, viewers and the daemon; after each step a model
 * says what must still be true. The same seed gives the same schedule. `npm run torture` makes it long.
 */
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { World } from "./chaos/world.ts";
import { Random } from "./fuzz/random.ts";
import { figure, isLong, seed } from "./long-form.ts";

const STEPS = isLong ? 3000 : 40;
const MAX_RUNNING = isLong ? 30 : 5;

test(
  "whatever is killed, stopped or taken away, nothing that was answered is lost and nobody is left over",
  async () => {
    const world = new World(await new TestDaemon().start());
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

async function oneAct(world: World, random: Random): Promise<string> {
  const running = world.model.of("running");
  if (running.length === 0 || (running.length < MAX_RUNNING && random.oneIn(4))) {
    await world.launch();
    return "launch";
  }
  const ended = world.model.of("ended");
  if (ended.length > 0 && random.oneIn(20)) return told("dismiss", world.dismiss(random.pick(ended)));
  const session = random.pick(running);
  const dice = random.below(100);
  if (dice < 40) return told("type", world.type(session));
  if (dice < 52) return told("attach", world.attach(session));
  if (dice < 60) return told("detach", world.detach(session));
  if (dice < 70) return told("resize", world.resize(session, 20 + random.below(150), 5 + random.below(50)));
  if (dice < 75) return told("end", world.end(session));
  if (dice < 80) return told("kill program", world.killProgram(session));
  if (dice < 86) return told("kill runner", world.killRunner(session));
  if (dice < 89) return told("freeze", world.freeze(session, isLong ? 60_000 * random.next() ** 8 : 300));
  if (dice < 92) return told("remove socket", world.removeSocket(session));
  if (dice < 94) return told("replace daemon", world.replaceDaemon());
  if (dice < 97) return told("starve daemon", world.starveDaemon(20));
  return told("kill daemon", world.killDaemon());
}

async function told(name: string, act: unknown): Promise<string> {
  await act;
  return name;
}

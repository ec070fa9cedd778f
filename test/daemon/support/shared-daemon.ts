/** One daemon for all tests of a group, if none changes what the others read. Call it inside `describe`. */
import { afterAll, beforeAll } from "vitest";
import { TestDaemon } from "./test-daemon.ts";

export function sharedDaemon(prepare: (daemon: TestDaemon) => void = () => undefined): () => TestDaemon {
  return sharedMachine((atEnd) => {
    const daemon = new TestDaemon({}, atEnd);
    prepare(daemon);
    return daemon;
  });
}

/** The cleanup runs after the group. */
export function sharedMachine<Machine extends TestDaemon>(
  make: (atEnd: (dispose: () => Promise<void>) => void) => Machine,
): () => Machine {
  let machine: Machine | undefined;
  beforeAll(async () => {
    machine = make(() => undefined);
    await machine.start();
  });
  afterAll(() => machine?.dispose());
  return () => machine!;
}

/** One daemon for all tests of a group, if none changes what the others read. Call it inside `describe`. */
import { afterAll, beforeAll } from "vitest";
import { TestDaemon } from "./test-daemon.ts";

export function sharedDaemon(prepare: (daemon: TestDaemon) => void = () => undefined): () => TestDaemon {
  let daemon: TestDaemon | undefined;
  beforeAll(async () => {
    daemon = new TestDaemon({}, () => undefined);
    prepare(daemon);
    await daemon.start();
  });
  afterAll(() => daemon?.dispose());
  return () => daemon!;
}

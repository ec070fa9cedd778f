import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { DEADLINE_MS, TEST_DEADLINE_MS } from "./test/support/deadline.ts";
import { untestableFiles } from "./scripts/test-programs.mjs";

// Examples import the package by its name.
const alias = { amux: fileURLToPath(new URL("src/index.ts", import.meta.url)) };

const UNIT = ["test/architecture.test.ts", "test/package.test.ts"];

/** Vitest starts with the largest files. These take longest for another reason, and must not run alone at the end. */
const LONG = [
  /\/test\/(?:torture|smoke)\//,
  /\/archive\/(?:archive|queries)\.test/,
  /\/changes\/(?:blame-precision|finish-worktree)\.test/,
  /\/daemon\/(?:failing-reader|process|queue|sessions)\.test/,
  /\/history\/redacted-export\.test/,
  /\/run(?:ner)?\/(?:cli|commands|survival)\.test/,
  /\/status\/(?:answer|messages|queue|start-choice)\.test/,
  /\/web\/(?:arrange-and-launch|changes|history|terminals)\.test/,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [true, false].flatMap((isLong) =>
      sorted.filter(({ moduleId }) => LONG.some((path) => path.test(moduleId)) === isLong),
    );
  }
}

// Pure tests share threads (isolating each file costs ten times the CPU); whole-program tests share processes.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", ...UNIT],
          pool: "threads",
          isolate: false,
          // Most of them compute, some wait for the disk.
          maxWorkers: availableParallelism() + 1,
          testTimeout: TEST_DEADLINE_MS,
          hookTimeout: TEST_DEADLINE_MS,
          expect: { poll: { timeout: DEADLINE_MS } },
        },
      },
      {
        resolve: { alias },
        test: {
          name: "program",
          globalSetup: "test/support/build.ts",
          setupFiles: "test/support/after-each-test.ts",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, ...untestableFiles("test")],
          pool: "forks",
          isolate: false,
          // They wait for processes more than they compute: three for each core keep it busy.
          maxWorkers: Math.min(8, 3 * availableParallelism()),
          // Their numbers of workers differ, so the two projects run one after the other.
          sequence: { groupOrder: 1 },
          testTimeout: TEST_DEADLINE_MS,
          hookTimeout: TEST_DEADLINE_MS,
          // A look at a page or a screen costs milliseconds of several processes.
          expect: { poll: { timeout: DEADLINE_MS, interval: 100 } },
        },
      },
    ],
  },
});

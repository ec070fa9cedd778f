import { defineConfig } from "vitest/config";

// Pure tests share threads (isolating each file costs ten times the CPU); whole-program tests get processes.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture.test.ts", "test/package.test.ts"],
          pool: "threads",
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "program",
          globalSetup: "test/support/build.ts",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture.test.ts", "test/package.test.ts"],
          pool: "forks",
          testTimeout: 120_000,
        },
      },
    ],
  },
});

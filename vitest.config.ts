import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Examples import the package by its name.
const alias = { amux: fileURLToPath(new URL("src/index.ts", import.meta.url)) };

// Pure tests share threads (isolating each file costs ten times the CPU); whole-program tests get processes.
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/architecture.test.ts", "test/package.test.ts"],
          pool: "threads",
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        resolve: { alias },
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

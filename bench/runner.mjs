/**
 * Compares sessions with tmux doing the same work at the same time; prints ratios with bars and exits with 1 if one is missed.
 *   node bench/runner.mjs [--only throughput,viewer,echo,memory,attach,start,fast-exit] [--mb 100] [--repeat 3] [--keys 20000]
 */
import { parseArgs } from "node:util";
import { measureAttach } from "./runner/attach.mjs";
import { measureEcho } from "./runner/echo.mjs";
import { measureFastExit } from "./runner/fast-exit.mjs";
import { measureMemory } from "./runner/memory.mjs";
import { measureStart } from "./runner/start.mjs";
import { measureThroughput } from "./runner/throughput.mjs";
import { Stage } from "./runner/stage.mjs";

const MEASUREMENTS = {
  throughput: (stage, options) => measureThroughput(stage, options, false),
  viewer: (stage, options) => measureThroughput(stage, options, true),
  echo: measureEcho,
  memory: measureMemory,
  attach: measureAttach,
  start: measureStart,
  "fast-exit": measureFastExit,
};

const { values } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(MEASUREMENTS).join() },
    mb: { type: "string", default: "100" },
    repeat: { type: "string", default: "3" },
    keys: { type: "string", default: "20000" },
  },
});

const stage = await Stage.open();
try {
  for (const name of values.only.split(",")) {
    await MEASUREMENTS[name](stage, {
      megabytes: Number(values.mb),
      repeat: Number(values.repeat),
      keys: Number(values.keys),
    });
  }
} finally {
  await stage.close();
}
process.exitCode = stage.table() ? 0 : 1;

/**
 * Input from outside, in millions of mutations, ends in an answer or a named error; `npm run torture` makes it long. A new crash
 * is kept under fuzz/regressions and runs every time.
 */
import { expect, test } from "vitest";
import { fuzz } from "./fuzz/engine.ts";
import { FILE_TARGETS } from "./fuzz/targets/files.ts";
import { PEER_TARGETS } from "./fuzz/targets/peers.ts";
import { PROTOCOL_TARGETS } from "./fuzz/targets/protocol.ts";
import { READER_TARGETS } from "./fuzz/targets/readers.ts";
import { STREAM_TARGETS } from "./fuzz/targets/streams.ts";
import { TERMINAL_TARGETS } from "./fuzz/targets/terminal.ts";
import { TEXT_TARGETS } from "./fuzz/targets/texts.ts";
import { figure, isLong, seed } from "./long-form.ts";
import { TEST_DEADLINE_MS } from "../support/deadline.ts";

const TARGETS = [
  ...PROTOCOL_TARGETS,
  ...PEER_TARGETS,
  ...TERMINAL_TARGETS,
  ...TEXT_TARGETS,
  ...FILE_TARGETS,
  ...STREAM_TARGETS,
  ...READER_TARGETS,
];
const LONG = 200;
/** Kept crashes and the seeds find most; `npm run torture` does the rest. */
const SHORTER = 8;

test.each(TARGETS)(
  "$name accepts anything",
  async (target) => {
    const inputs = isLong ? target.short * (target.factor ?? LONG) : Math.max(2, Math.ceil(target.short / SHORTER));
    const { crashes, ...figures } = await fuzz(target, inputs, seed, isLong);
    figure("fuzz", { ...figures, crashes: crashes.length });
    expect(crashes, `seed ${seed}`).toEqual([]);
  },
  isLong ? 3_600_000 : TEST_DEADLINE_MS,
);

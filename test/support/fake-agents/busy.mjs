#!/usr/bin/env node
/** Is refused `FAKE_REFUSALS` times, then answers. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { begin, result, text, toolUse } from "./lines.mjs";

const { FAKE_COUNT, FAKE_REFUSALS = "1", FAKE_TOOL } = process.env;
const before = existsSync(FAKE_COUNT) ? Number(readFileSync(FAKE_COUNT, "utf8")) : 0;
writeFileSync(FAKE_COUNT, String(before + 1));
begin();
if (FAKE_TOOL) toolUse("t1", "make deploy");
if (before < Number(FAKE_REFUSALS)) {
  result({ is_error: true, api_error_status: 429, result: "API Error: 429 slow down", total_cost_usd: 0 });
  process.exitCode = 1;
} else {
  text("At last.");
  result();
}

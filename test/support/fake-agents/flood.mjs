#!/usr/bin/env node
/** Prints as fast as it is read, and records how far it got. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { begin, note, result, text } from "./lines.mjs";

const { FAKE_LINES = "8000", FAKE_PROGRESS } = process.env;
note(`pid ${process.pid}`);
begin();
for (let i = 0; i < Number(FAKE_LINES); i++) {
  text(`Line ${i} ${"x".repeat(200)}`, `msg_${i}`);
  if (i % 100 === 0) {
    if (FAKE_PROGRESS) writeFileSync(FAKE_PROGRESS, String(i));
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }
}
result();

#!/usr/bin/env node
/** Starts, prints an error, and exits. */
import { begin, note } from "./lines.mjs";

note("started");
if (process.env.FAKE_SILENT !== "1") begin();
process.stderr.write("loading plug-ins\nfatal: the disk is on fire\n");
process.exitCode = 3;

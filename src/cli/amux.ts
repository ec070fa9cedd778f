#!/usr/bin/env node
import { main } from "./main.ts";

// Not process.exit: output that a slow reader has not taken yet must still go out.
process.exitCode = await main(process.argv.slice(2));

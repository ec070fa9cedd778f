import { defineAgent } from "../adapter.ts";
import { forkAt } from "./fork-at.ts";
import { hooks } from "./hooks.ts";
import { listNames, listSessions } from "./discover.ts";
import { packRows, summarize, titleKeys } from "./summary.ts";
import { lineage } from "./lineage.ts";
import { configDirs, encodeCwd, projectsDirs } from "./places.ts";
import { run } from "./run.ts";
import { CLAUDE_RECORDS_WASM } from "./record-scan.gen.ts";
import { saidScan } from "./said.ts";
import { rebuild } from "./rebuild.ts";
import { read, readOn } from "./session.ts";
import { billInto, countRows, tally, tallyInto } from "./tally.ts";
import { texts } from "./texts.ts";
import { join } from "node:path";

export default defineAgent({
  name: "claude",
  displayName: "Claude Code",
  command: "claude",
  capabilities: { canResume: true, canFork: true, sessionPersistence: "file" },
  history: {
    roots: projectsDirs,
    sessionDir: (env, cwd) => {
      const projects = join(configDirs(env)[0]!, "projects");
      return cwd === undefined ? projects : join(projects, encodeCwd(cwd));
    },
    listSessions,
    isWitnessed: true,
    summarize,
    packRows,
    countRows,
    titleKeys,
    read,
    texts,
    rebuild,
    readOn,
    tally,
    tallyInto,
    billInto,
    scannerWasm: () => CLAUDE_RECORDS_WASM,
    lineage,
    bytes: {
      listNames,
      files: ({ files }) => files.map((file) => file.path),
      foreignTitles: '{"type":"summary"',
      saidScan,
    },
  },
  launch: {
    resume: (sessionId) => ["claude", "--resume", sessionId],
    fork: (sessionId) => ["claude", "--resume", sessionId, "--fork-session"],
    forkAt,
  },
  run,
  hooks,
});

/** Hermes Agent as amux knows it; README.md tells how its files were understood. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { launch } from "./launch.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "hermes",
  displayName: "Hermes Agent",
  command: "hermes",
  // Branches are made inside a chat (/branch); no command line starts one.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch,
  run,
  hooks,
});

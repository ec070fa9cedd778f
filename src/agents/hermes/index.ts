/** The adapter of Hermes Agent; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks.ts";
import { launch } from "./launch.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "hermes",
  displayName: "Hermes Agent",
  command: "hermes",
  // Forks are made inside a chat (/branch); no command line makes one.
  capabilities: { canResume: true, canFork: false, sessionPersistence: "sqlite" },
  history,
  launch,
  run,
  hooks,
});

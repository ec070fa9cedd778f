/** The adapter of OpenClaw; README.md describes its files. */
import { defineAgent } from "../adapter.ts";
import { history } from "./history.ts";
import { launch } from "./launch.ts";
import { run } from "./run.ts";

export default defineAgent({
  name: "openclaw",
  displayName: "OpenClaw",
  command: "openclaw",
  // By its gateway, while it runs.
  capabilities: { canResume: true, canFork: true, sessionPersistence: "sqlite" },
  whyNoHooks:
    "its plug-ins run in the gateway, which does not know the terminals its clients are in, and are not called in `openclaw chat`",
  history,
  launch,
  run,
});

/** Pi without a terminal: `pi -p --mode json` with the prompt on standard input. */
import { join } from "node:path";
import { treeRun } from "../shared/tree-run.ts";
import { agentDir } from "./locations.ts";

export const run = treeRun({
  resumeOption: "--session",
  // It has no option to approve everything: nobody is asked, so everything is approved.
  harmless: ["read", "grep", "find", "ls"],
  guidance: "Run pi and sign in with /login, or set the API key of a provider.",
  sessionVariable: "PI_SESSION_ID",
  refusals: {
    deny: "Pi asks for no approval: it runs every tool, and cannot be told to refuse.",
    mcpServers: "Pi has no MCP servers.",
  },
  credentialFiles: (env) => [join(agentDir(env), "auth.json")],
});

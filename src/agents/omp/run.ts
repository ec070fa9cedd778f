/** omp without a terminal: `omp -p --mode json` with the prompt on standard input. */
import { dirname, join } from "node:path";
import { treeRun } from "../shared/tree-run.ts";
import { sessionDir } from "./locations.ts";

export const run = treeRun({
  resumeOption: "--resume",
  yoloOption: "--auto-approve",
  harmless: ["read", "search", "grep", "ast_grep", "find", "ls", "todo_write", "calc", "recall"],
  guidance: "Run omp and sign in with /login, or set the API key of a provider.",
  refusals: { mcpServers: "omp takes MCP servers from its own configuration only." },
  // Keys and tokens are in the database beside the sessions.
  credentialFiles: (env) => [join(dirname(sessionDir(env)), "agent.db")],
});

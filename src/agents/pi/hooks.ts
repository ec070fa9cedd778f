/** Pi's extension: a file in its extensions folder, or `-e` for one start. */
import { join } from "node:path";
import { extensionFile, extensionSource, launchWithExtension } from "../shared/extension-file.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { agentDir } from "./locations.ts";
import { transcriptState } from "../shared/tree-state.ts";

export const hooks: StatusHooks = {
  transcriptState,
  target: (env, program) => ({
    kind: "file",
    path: join(agentDir(env), "extensions", extensionFile("pi")),
    content: extensionSource(program, "pi"),
  }),
  launch: (argv, { program, directory }) => launchWithExtension(argv, "pi", program, directory),
};

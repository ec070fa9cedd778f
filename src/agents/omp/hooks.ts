/** omp's extension: a file in its extensions folder, or `-e` for one start. Its terminal title shows its state too. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import { extensionFile, extensionSource, launchWithExtension } from "../shared/extension-file.ts";
import type { StatusHooks } from "../status-hooks.ts";
import { configDir } from "./locations.ts";
import { transcriptState } from "../shared/tree-state.ts";

export const hooks: StatusHooks = {
  transcriptState,
  target: (env, program) => ({
    kind: "file",
    path: join(
      directoryFrom(env, "PI_CODING_AGENT_DIR") ?? join(configDir(env), "agent"),
      "extensions",
      extensionFile("omp"),
    ),
    content: extensionSource(program, "omp"),
  }),
  launch: (argv, { program, directory }) => launchWithExtension(argv, "omp", program, directory),
  titleState(title) {
    const sign = /^π (\S)/u.exec(title)?.[1];
    if (sign === undefined) return undefined;
    if (sign === "!") return { state: "waiting", could_be: ["permission"] };
    return sign === ">" ? { state: "idle", could_be: ["done", "error", "stopped"] } : { state: "working" };
  },
};

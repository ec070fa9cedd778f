import { servedManifest } from "./served-manifest.ts";

// It counts thinking as output, without telling them apart.
servedManifest("droid", { recorded: (tokens) => ({ ...tokens, thinking: 0 }) });

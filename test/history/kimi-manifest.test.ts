import { servedManifest } from "./served-manifest.ts";

// Thoughts are part of the output, and not told apart.
servedManifest("kimi", { recorded: (tokens) => ({ ...tokens, thinking: 0 }) });

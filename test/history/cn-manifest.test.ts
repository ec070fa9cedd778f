import { servedManifest } from "./served-manifest.ts";

// Continue saves a session after an answer only.
servedManifest("cn", { lost: ["05-refused", "06-killed"] });

import { servedManifest } from "./served-manifest.ts";

servedManifest("kilo");

/** Names of linked machines, read from the file: most users have none, and it must cost nothing. */
import { asObject, asObjects, asText } from "../../lib/json/fields.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { daemonFiles } from "../../protocol/daemon-files.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export function peerNames(): string[] {
  return namedPeers().map(({ name }) => name);
}

/** With their addresses. */
export function namedPeers(): { name: string; url: string }[] {
  try {
    const kept = asObject(JSON.parse(readText(daemonFiles(amuxHome(processEnv())).peers)));
    return asObjects(kept?.["peers"]).flatMap(({ name, url }) => {
      const known = asText(name);
      return known === undefined ? [] : [{ name: known, url: asText(url) ?? "" }];
    });
  } catch {
    return []; // No such file, or one that the daemon reports as broken.
  }
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AgentMuxError } from "../../core/errors.ts";
import { isAtLeast } from "../../lib/process/version.ts";
import type { Command } from "../command.ts";

declare const AMUX_VERSION: string;

const INSTALL = "npm install --global amux@latest";
const WITHIN_MS = 20_000;

const command: Command = {
  name: "upgrade",
  description:
    "Prints the version and the command that installs the newest one. Only --check asks the npm registry; amux never looks for updates by itself. Sessions keep running across an upgrade.",
  options: [{ name: "check", description: "ask npm for the newest version" }],
  examples: [
    ["amux upgrade", "how to upgrade"],
    ["amux upgrade --check", "check for a newer version; the exit code is 0 either way"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const newest = invocation.flag("check") ? await newestVersion() : undefined;
    if (output.json) return output.writeJson({ version: AMUX_VERSION, newest, install: INSTALL });
    if (newest === AMUX_VERSION) return output.write(`amux ${AMUX_VERSION} is the newest version.\n`);
    if (newest !== undefined && isNewer(AMUX_VERSION, newest))
      return output.write(`amux ${AMUX_VERSION} is newer than npm's, which is ${newest}.\n`);
    const known =
      newest === undefined ? `This is amux ${AMUX_VERSION}.` : `amux ${newest} is out; this is ${AMUX_VERSION}.`;
    return output.write(`${known} To upgrade:\n\n  ${INSTALL}\n  amux daemon restart\n`);
  },
};

export default command;

/** A prerelease like 1.2.3-next.1 comes before 1.2.3. */
function isNewer(version: string, than: string): boolean {
  return isAtLeast(version, than) && !(isAtLeast(than, version) && version.includes("-"));
}

async function newestVersion(): Promise<string> {
  try {
    const args = ["view", "amux", "version", "--json"];
    const { stdout } = await promisify(execFile)("npm", args, { timeout: WITHIN_MS, maxBuffer: 2 ** 16 });
    const version: unknown = JSON.parse(stdout);
    if (typeof version === "string" && /^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) return version;
    throw new Error(`npm answered ${stdout.trim()}`);
  } catch (error) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `npm did not return the newest version of amux. Try: npm view amux version`,
      {
        cause: error,
      },
    );
  }
}

import { DaemonApi } from "../../client/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { openInBrowser } from "../open-in-browser.ts";

const command: Command = {
  name: "open",
  description:
    "Starts the daemon if needed and prints a link that signs one browser in, once, within five minutes. On a desktop it also opens the link.",
  options: [{ name: "no-browser", description: "only print the link" }],
  examples: [
    ["amux open", "open the page"],
    ["amux open --no-browser", "a link for a browser elsewhere, through a tunnel"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const { listen } = await ensureDaemon();
    if (listen === undefined) {
      throw new AgentMuxError(
        "INVALID_STATE_TRANSITION",
        "The daemon has no port: another program holds it. Choose one with amux daemon restart --listen 127.0.0.1:<port>.",
      );
    }
    const { code, expires_at: expiresAt } = await new DaemonApi(daemonClient()).loginCode();
    const address = `http://${listen}/`;
    // After the hash: it is never sent, so that no log or referrer contains it.
    const link = `${address}login#code=${code}`;
    if (output.json) return output.writeJson({ address, link, expiresAt });
    await output.write(
      `The page is at ${address}\nSign in with this link (once, within five minutes):\n\n  ${link}\n\n`,
    );
    if (!invocation.flag("no-browser") && process.stdout.isTTY && !openInBrowser(link)) {
      output.note("No browser found here.");
    }
  },
};

export default command;

import { DaemonApi } from "../../client/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { usageError, type Command } from "../command.ts";
import { daemonClient, ensureDaemon } from "../daemon-process.ts";
import { openInBrowser } from "../open-in-browser.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "open",
  description:
    "Starts the daemon if needed and prints a link that signs one browser in, once, within five minutes. On a desktop it also opens the link.\nWith --phone it checks how a phone gets to this machine, says what is missing, and prints the link as a QR code. Plain HTTP is refused, except at the end of a tunnel (http://localhost).",
  options: [
    { name: "no-browser", description: "only print the link" },
    { name: "phone", description: "a QR code for a phone; exit code 1 if no way in was found" },
    { name: "at", value: "address", description: "with --phone: the address that the phone uses" },
  ],
  examples: [
    ["amux open", "open the page"],
    ["amux open --no-browser", "a link for a browser elsewhere, through a tunnel"],
    ["amux open --phone", "a QR code, or how to get there"],
    ["amux open --phone --at http://localhost:8790", "for a phone with an ssh tunnel"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const isForPhone = invocation.flag("phone");
    const at = invocation.text("at");
    if (at !== undefined && !isForPhone) throw usageError("--at goes with --phone.");
    const { listen, hosts = [] } = await ensureDaemon();
    if (listen === undefined) {
      throw new AgentMuxError(
        "INVALID_STATE_TRANSITION",
        "The daemon has no port: another program holds it. Choose one with amux daemon restart --listen 127.0.0.1:<port>.",
      );
    }
    if (isForPhone) return openOnPhone({ listen, hosts }, at, output);
    const address = `http://${listen}/`;
    const { link, expiresAt } = await signInLink(address);
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

async function signInLink(address: string): Promise<{ link: string; expiresAt: string }> {
  const { code, expires_at: expiresAt } = await new DaemonApi(daemonClient()).loginCode();
  // After the hash: it is never sent, so that no log or referrer contains it.
  return { link: `${address}login#code=${code}`, expiresAt };
}

async function openOnPhone(
  daemon: { listen: string; hosts: readonly string[] },
  at: string | undefined,
  output: Output,
): Promise<number> {
  const { findWayIn } = await import("../phone/way-in.ts");
  const { steps, address, advice } = await findWayIn(daemon, at);
  const found = address === undefined ? undefined : { address, ...(await signInLink(address)) };
  if (output.json) await output.writeJson({ steps, advice, ...found });
  else {
    const lines = steps.map(
      ({ ok, text }) => `${ok ? output.style("green", "✓") : output.style("yellow", "–")} ${text}`,
    );
    await output.write([...lines, "", ...advice].map((line) => `${line}\n`));
    if (found !== undefined) {
      const { qrLines } = await import("../phone/qr-code.ts");
      const code = qrLines(found.link, output.isStyled).map((line) => `${line}\n`);
      await output.write([...code, `\nScan it with the phone: it signs one browser in, once, within five minutes.\n`]);
      await output.write(`  ${found.link}\n`);
    }
  }
  return found === undefined ? 1 : 0;
}

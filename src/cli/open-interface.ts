/** Opens the terminal interface, on a terminal that can show it. */
import type { TuiOptions } from "../tui/main.ts";
import { usageError } from "./command.ts";
import { plugInAgents } from "./plug-in-agents.ts";
import { reporting } from "./invoke.ts";

export async function openInterface(options: TuiOptions = {}): Promise<never> {
  const exitCode = await reporting(false, async () => {
    if (process.env["TERM"] === "dumb") {
      throw usageError("TERM=dumb cannot run the full-screen interface. Use amux ls, amux status, amux --help.");
    }
    await plugInAgents();
    const [{ tuiServices }, { runTui }] = await Promise.all([import("./tui-services.ts"), import("../tui/main.ts")]);
    return runTui(await tuiServices(), options);
  });
  // Pending reads for its list must not keep the terminal.
  process.exit(exitCode);
}

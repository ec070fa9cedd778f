/** Shows an address in the desktop's browser, where there is a desktop. */
import { spawn } from "node:child_process";
import { findOnPath } from "../lib/process/find-on-path.ts";

/** False when there is nothing to show it with. */
export function openInBrowser(address: string): boolean {
  const { env, platform } = process;
  const hasScreen = platform === "darwin" || env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  const program = findOnPath(platform === "darwin" ? "open" : "xdg-open", env);
  if (!hasScreen || program === undefined) return false;
  const child = spawn(program, [address], { detached: true, stdio: "ignore" });
  // The link has been printed: whoever cannot be shown it can still follow it.
  child.once("error", () => undefined);
  child.unref();
  return true;
}

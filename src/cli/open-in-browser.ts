/** Opens an address in the desktop's browser, if there is one. */
import { spawn } from "node:child_process";
import { findOnPath } from "../lib/process/find-on-path.ts";

/** False if there is no browser to open. */
export function openInBrowser(address: string): boolean {
  const { env, platform } = process;
  const hasScreen = platform === "darwin" || env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  const program = findOnPath(platform === "darwin" ? "open" : "xdg-open", env);
  if (!hasScreen || program === undefined) return false;
  const child = spawn(program, [address], { detached: true, stdio: "ignore" });
  // The link is printed, so it can still be followed.
  child.once("error", () => undefined);
  child.unref();
  return true;
}

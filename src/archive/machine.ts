/**
 * Identifies this machine. Not stored in the home: homes are copied and synced, and two machines with one name would see each
 * other's sessions as changed.
 */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { PathEnv } from "../lib/fs/paths.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** Created when the system was installed. */
const SYSTEM_IDS = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/** The host name, and a few digits unique to this machine. */
export function machineName({ vars }: PathEnv): string {
  const given = vars["AMUX_MACHINE"];
  if (given !== undefined && given !== "") return given;
  const host = hostname();
  const digest = createHash("sha256").update(`amux machine\0${systemId()}\0${host}`).digest("hex");
  return `${host}-${digest.slice(0, 8)}`;
}

function systemId(): string {
  for (const path of SYSTEM_IDS) {
    try {
      return readText(path).trim();
    } catch {
      // Not every system has one; then the host name must do.
    }
  }
  return "";
}

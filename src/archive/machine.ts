/**
 * Which machine this is. Not kept in a file of the home: homes are copied and synced between machines, and two machines
 * with one name would take each other's sessions for changed.
 */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { PathEnv } from "../lib/fs/paths.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** Given by the system when it was installed. */
const SYSTEM_IDS = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/** The host's name for people, and a few digits that no other machine has. */
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
      // Not every system has one; the host's name must do then.
    }
  }
  return "";
}

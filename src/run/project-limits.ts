/**
 * What a project's files may not set. They come with a clone, so they must not disable an agent's questions or name programs to
 * start.
 */
import { AgentMuxError } from "../core/errors.ts";
import type { RunDefaults } from "../core/run-options.ts";
import type { Scope } from "./config-directories.ts";

export function refuseDangerous(defaults: RunDefaults, scope: Scope, path: string): void {
  if (scope !== "project") return;
  if (defaults.approvalMode === "yolo") {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `${path} may not set approvalMode to yolo: a project does not approve for its user. Use --yolo or a global profile.`,
    );
  }
  if (defaults.mcpServers !== undefined) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      `${path} may not name mcpServers: a project does not choose what is started. Use a global profile.`,
    );
  }
}

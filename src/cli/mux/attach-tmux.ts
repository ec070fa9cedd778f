/** Attaches to tmux sessions known from their status files, through tmux itself. */
import { spawn } from "node:child_process";
import { AgentMuxError } from "../../core/errors.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { tmuxSocketOf } from "../../status/stored-evidence.ts";
import { AMUX_SESSION } from "../../status/status-file.ts";
import { statusDirectory } from "../../status/status-directory.ts";
import { StatusStore } from "../../status/status-store.ts";

export interface TmuxSession {
  name: string;
  /** Its server's socket, if amux's hooks wrote the file; otherwise tmux uses its default. */
  socket: string | undefined;
}

/** By name; undefined if no tmux status file has it. */
export function tmuxSessionNamed(name: string): TmuxSession | undefined {
  const files = new StatusStore(statusDirectory(processEnv())).list();
  const found = files.find((each) => each.name === name && each.file[AMUX_SESSION] === undefined);
  return found === undefined ? undefined : { name, socket: tmuxSocketOf(found.file) };
}

/** Until detached. Returns tmux's exit code. */
export async function attachToTmux({ name, socket }: TmuxSession, readOnly: boolean): Promise<number> {
  const { TMUX: inside = "", ...outside } = process.env;
  // tmux does not nest in the same server: switch the existing client instead.
  const isSame = inside !== "" && (socket === undefined || inside.startsWith(`${socket},`));
  const verb = isSame ? ["switch-client"] : ["attach-session"];
  const args = [
    ...(socket === undefined ? [] : ["-S", socket]),
    ...verb,
    ...(readOnly ? ["-r"] : []),
    "-t",
    `=${name}`,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn("tmux", args, { stdio: "inherit", env: isSame ? process.env : outside });
    child.once("error", (cause) =>
      reject(new AgentMuxError("SPAWN_ERROR", "tmux cannot be started; is it installed?", { cause })),
    );
    child.once("close", (code) => resolve(code ?? 1));
  });
}

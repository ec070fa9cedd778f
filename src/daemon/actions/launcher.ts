/** Starts sessions: new ones, and ended ones under the same id. */
import { realpathSync, statSync } from "node:fs";
import type { AgentEnv } from "../../agents/adapter.ts";
import { agentStartedBy } from "../../agents/agent-started-by.ts";
import { LaunchHooks } from "../../agents/launch-hooks.ts";
import { startArguments } from "../../agents/start-options.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { ShimClient, type SpawnRequest } from "../../client/shim-client.ts";
import { silentDirectory } from "../../client/missing-directory.ts";
import { ANSWERING } from "../../lib/fs/answering-directories.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { requireOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import { resolveHome } from "../../lib/fs/paths.ts";
import type { LaunchRequest, Started } from "../../protocol/daemon-api.ts";
import { addWorktree } from "../../changes/worktree/add-worktree.ts";
import { startWithSetUp } from "../../changes/worktree/set-up.ts";
import type { SessionDirectories } from "../../protocol/session-files.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import type { Discovery } from "../live/discovery.ts";
import type { Register } from "../live/register.ts";
import { Problem } from "../problem.ts";
import { SHELL_KIND } from "../store/derived-fields.ts";
import type { SessionStore } from "../store/store.ts";
import type { LoginEnvironment } from "./login-environment.ts";

export interface LauncherParts {
  places: SessionDirectories;
  env: AgentEnv;
  registry: AgentRegistry;
  store: SessionStore;
  register: Register;
  login: LoginEnvironment;
  /** Path of the runner bundle. */
  runner: string;
  discovery: Pick<Discovery, "look">;
  /** Before an agent opens a conversation again. */
  beforeResume?: (agent: string, sessionId: string) => Promise<void>;
}

interface StartOptions {
  /** Changes what is started, not what the session is. */
  wrap?: (words: readonly string[]) => string[];
  /** Its output is held until the caller attaches. */
  isFollowed?: boolean;
}

export class Launcher {
  readonly #parts: LauncherParts;
  readonly #hooks: LaunchHooks;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
    this.#hooks = new LaunchHooks(parts.registry);
  }

  /** With an id, a session whose name is known before it starts. */
  async launch(request: LaunchRequest, id?: string): Promise<Started> {
    const { env, registry } = this.#parts;
    const command = await this.#commandOf(request);
    const kind = request.agent ?? (await agentStartedBy(command, registry)) ?? SHELL_KIND;
    const { name, cols, rows, worktree, followed: isFollowed = false } = request;
    const wanted = await realDirectory(resolveHome(env, request.cwd ?? "~"));
    const own = worktree && { ...env, vars: await this.#parts.login.get() };
    // A worktree for a command that cannot start would be left behind.
    if (own !== undefined) requireOnPath(command[0] ?? "", { ...own.vars, ...request.env });
    const added = own && (await addWorktree(wanted, worktree, own));
    const asked = {
      command,
      kind,
      cwd: added?.cwd ?? wanted,
      env: request.env ?? {},
      ...optional("id", id),
      ...optional("name", name),
      ...optional("cols", cols),
      ...optional("rows", rows),
    };
    if (added === undefined) return this.start(asked, { isFollowed });
    const started = await this.start(asked, { isFollowed, wrap: (words) => startWithSetUp(added, words) });
    return { ...started, worktree: { path: added.path, branch: added.branch, notes: added.notes } };
  }

  /** Its files may be only in the vault. */
  async prepareResume(agent: string, sessionId: string): Promise<void> {
    await this.#parts.beforeResume?.(agent, sessionId);
  }

  /** Throws if a session could not start there. */
  async checkDirectory(path: string): Promise<void> {
    await realDirectory(resolveHome(this.#parts.env, path));
  }

  /** Resolves when the session is in the store. */
  async start(request: SpawnRequest, { wrap, isFollowed = false }: StartOptions = {}): Promise<Started> {
    const { places, runner, login, register, store, env } = this.#parts;
    // A conversation without a directory goes on where new sessions begin.
    const cwd = await realDirectory(request.cwd === "" ? resolveHome(env, "~") : request.cwd);
    const { kind, resume_key } = request;
    if (kind !== undefined && resume_key !== undefined) await this.prepareResume(kind, resume_key);
    const vars = await login.get();
    const shim = new ShimClient({ ...places, runner, env: vars });
    const { id = newSessionId() } = request;
    const hooked = await this.#hooks.prepare(request, { ...this.#parts.env, vars }, shim.files(id).directory);
    const wrapped = wrap && { argv: wrap(hooked.argv ?? request.command) };
    await shim.spawn({ ...request, id, cwd, ...hooked, ...wrapped }, { isFollowed });
    if (!(await register.register(id)) && !(await this.#hasEnded(id)))
      throw new Problem("runner_unreachable", `Session ${id} was started but does not answer.`);
    return { session_id: id, pid: store.record(id)?.pid ?? 0 };
  }

  /** On a busy machine a short program is gone before it is asked. A scan that is under way may have passed it already. */
  async #hasEnded(id: string): Promise<boolean> {
    const { store, discovery } = this.#parts;
    for (let looks = 0; looks < 2 && store.record(id) === undefined; looks++) await discovery.look();
    return store.record(id) !== undefined;
  }

  async #commandOf({ agent, args = [], command, ...wishes }: LaunchRequest): Promise<string[]> {
    const { env, registry } = this.#parts;
    if (command !== undefined && agent !== undefined)
      throw new Problem("bad_request", "Give an agent or a command, not both.");
    if (agent === undefined && (wishes.prompt ?? wishes.model ?? wishes.permission_mode) !== undefined)
      throw new Problem("bad_request", "A prompt, model or permission mode needs an agent.");
    if (command !== undefined) return command;
    if (agent === undefined) return [env.vars["SHELL"] ?? "/bin/sh", ...args];
    const { command: program, displayName, launch } = await registry.get(agent);
    if (program === "") throw new Problem("bad_request", `${displayName} cannot be started in a terminal.`);
    const words = startArguments(launch?.start, wishes, args);
    if (typeof words === "string")
      throw new Problem("bad_request", `${displayName} cannot be started with a ${words.replace("_", " ")}.`);
    return [program, ...words];
  }
}

/** As the program itself will report it: without links, dots and a trailing slash. */
async function realDirectory(path: string): Promise<string> {
  if (!(await ANSWERING.has(path))) throw new Problem("cwd_gone", silentDirectory(path));
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    throw new Problem("cwd_gone", `The directory ${path} ${reason(codeOf(error))}.`, error);
  }
  throw new Problem("cwd_gone", `${path} is not a directory.`);
}

function reason(code: string): string {
  return code === "EACCES" ? "cannot be entered: permission denied" : "does not exist";
}

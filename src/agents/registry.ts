/** The agents: built-in ones, loaded on demand, and those that plug-ins register at run time. */
import { AgentMuxError } from "../core/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { AgentAdapter } from "./adapter.ts";
import { BUILTIN_AGENT_NAMES, BUILTIN_AGENTS, EXPERIMENTAL_AGENTS, type BuiltInAgentName } from "./builtin.gen.ts";

/** Keeps names usable as id prefixes, folder names and URL parts. */
const NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

/** Agents of plug-in files, in every registry of this process. */
const plugged = new Map<string, AgentAdapter>();

/** A file does not replace a built-in agent: all its sessions would vanish without a word. */
export function plugAgent(adapter: AgentAdapter): void {
  checkName(adapter);
  if (isBuiltIn(adapter.name))
    throw new AgentMuxError("PLUGIN_ERROR", `${adapter.name} is the name of a built-in agent. Choose another.`);
  plugged.set(adapter.name, adapter);
}

export class AgentRegistry {
  readonly #registered = new Map<string, AgentAdapter>();

  names(): string[] {
    return [...new Set<string>([...BUILTIN_AGENT_NAMES, ...plugged.keys(), ...this.#registered.keys()])];
  }

  has(name: string): boolean {
    return this.#registered.has(name) || plugged.has(name) || isBuiltIn(name);
  }

  /** Whether it is built in and not replaced. */
  isBuiltIn(name: string): boolean {
    return isBuiltIn(name) && !plugged.has(name) && !this.#registered.has(name);
  }

  /** Made without recordings of the program; every list says so. */
  isExperimental(name: string): boolean {
    const registered = this.#registered.get(name) ?? plugged.get(name);
    return registered === undefined ? EXPERIMENTAL_AGENTS.includes(name) : registered.isExperimental === true;
  }

  async get(name: string): Promise<AgentAdapter> {
    const registered = this.#registered.get(name) ?? plugged.get(name);
    if (registered) return registered;
    if (!isBuiltIn(name)) throw this.unknown(name);
    return (await BUILTIN_AGENTS[name]()).default;
  }

  /** The error message for an unknown agent name. */
  unknown(name: string): AgentMuxError {
    const names = this.names();
    const close = nearest(name, names);
    const hint = close === undefined ? "" : ` (did you mean ${close}?)`;
    return new AgentMuxError("AGENT_NOT_FOUND", `Unknown agent "${name}"${hint}. Known agents: ${names.join(", ")}.`);
  }

  /** Adds an agent, or replaces a built-in one of the same name. */
  register(adapter: AgentAdapter): void {
    checkName(adapter);
    this.#registered.set(adapter.name, adapter);
  }

  unregister(name: string): boolean {
    return this.#registered.delete(name);
  }
}

function checkName({ name }: AgentAdapter): void {
  if (NAME_PATTERN.test(name)) return;
  throw new AgentMuxError(
    "PLUGIN_ERROR",
    `An agent's name is up to 32 of a-z, 0-9 and "-", starting with a letter; got ${JSON.stringify(name)}.`,
  );
}

function isBuiltIn(name: string): name is BuiltInAgentName {
  return Object.hasOwn(BUILTIN_AGENTS, name);
}

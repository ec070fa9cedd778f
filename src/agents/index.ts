/// <reference types="node" preserve="true" />
/** `amux/agents`: the agent contract for plug-ins, and the built-in agents. */
export { defineAgent } from "./adapter.ts";
export type * from "./adapter.ts";
export { readerOf } from "./in-memory.ts";
export { ReadNotes } from "./read-notes.ts";
export { AgentRegistry } from "./registry.ts";
export type { AgentStream, Credentials, PreparedRun, RunContext, RunRequest, RunSupport } from "./run-support.ts";
export type { HookLaunchContext, ProcessState, StatusHooks, TitleState } from "./status-hooks.ts";

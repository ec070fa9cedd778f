/** The request to the agent, after unsupported options were refused or replaced by a reported fallback. */
import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentAdapter } from "../agents/adapter.ts";
import {
  AGENT_OPTIONS,
  type AgentOption,
  type MadeCopy,
  type RunRequest,
  type RunSupport,
} from "../agents/run-support.ts";
import { CapabilityError, ValidationError } from "../core/errors.ts";
import type { Attachment } from "../core/run-options.ts";
import { optional } from "../lib/values/optional.ts";
import type { RunPlan } from "./run-plan.ts";
import type { Scratch } from "./scratch.ts";

export interface Fallback {
  capability: string;
  reason: string;
}

export interface AgentRequest {
  request: RunRequest;
  fallbacks: Fallback[];
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

export function supportOf(adapter: AgentAdapter): RunSupport {
  if (adapter.run) return adapter.run;
  throw new CapabilityError(adapter.name, "run", `${adapter.displayName} cannot be run without a terminal.`);
}

/** `copy`: the copied session for a fork, if the agent cannot fork by itself or not at a message. */
export function requestFor(plan: RunPlan, adapter: AgentAdapter, scratch: Scratch, copy?: MadeCopy): AgentRequest {
  const { options } = plan;
  const support = supportOf(adapter);
  const fallbacks: Fallback[] = [];
  for (const option of AGENT_OPTIONS) {
    if (!isAsked(option, plan) || support.honours.includes(option)) continue;
    if (option === "forkSessionId" && needsCopy(plan, adapter)) continue;
    if (option !== "systemPrompt" || options.systemPromptMode === "replace") refuse(adapter, support, option);
  }
  const wantsAnswers = options.onApprovalRequest !== undefined || options.onInputRequired !== undefined;
  const asks = wantsAnswers || options.approvalMode === "prompt";
  if (asks && typeof support.approvals === "string") {
    fallbacks.push({ capability: "approvals", reason: support.approvals });
  }
  if (options.stream === true && !support.streamsText) {
    const reason = `${adapter.displayName} reports only whole messages.`;
    fallbacks.push({ capability: "stream", reason });
  }
  if (options.outputFormat !== undefined) {
    const reason = "A run gives events and a result, whatever the agent prints; the format is up to who shows them.";
    fallbacks.push({ capability: "outputFormat", reason });
  }
  const isSystemPromptInPrompt = options.systemPrompt !== undefined && !support.honours.includes("systemPrompt");
  if (isSystemPromptInPrompt) {
    const reason = `${adapter.displayName} has no option for a system prompt; it is put in front of the prompt.`;
    fallbacks.push({ capability: "systemPrompt", reason });
  }
  const request: RunRequest = {
    prompt: isSystemPromptInPrompt ? `${options.systemPrompt}\n\n${plan.prompt}` : plan.prompt,
    cwd: plan.cwd,
    session: sessionChoice(plan, copy),
    ...optional("model", options.model),
    ...optional(
      "systemPrompt",
      options.systemPrompt === undefined || isSystemPromptInPrompt
        ? undefined
        : { text: options.systemPrompt, mode: options.systemPromptMode ?? "append" },
    ),
    attachments: (options.attachments ?? []).map((attachment) => localFile(attachment, plan, adapter, scratch)),
    ...optional("thinkingEffort", options.thinkingEffort),
    ...optional("thinkingBudgetTokens", options.thinkingBudgetTokens),
    ...optional("maxOutputTokens", options.maxOutputTokens),
    ...optional("maxTurns", options.maxTurns),
    mcpServers: options.mcpServers ?? [],
    ...optional("approvalMode", options.approvalMode),
    asks: asks && support.approvals === true,
    streams: support.streamsText && options.stream !== false,
    converses: options.nonInteractive !== true,
  };
  return { request, fallbacks };
}

function isAsked(option: AgentOption, { options }: RunPlan): boolean {
  if (option === "yolo" || option === "deny") return options.approvalMode === option;
  const value = options[option];
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

const WORDS: Partial<Record<AgentOption, string>> = {
  sessionId: "resume a session",
  forkSessionId: "fork a session",
  noSession: "run without leaving a session",
  yolo: "be told to approve everything",
  deny: "be told to refuse everything",
};

function refuse(adapter: AgentAdapter, support: RunSupport, option: AgentOption): never {
  const words = WORDS[option] ?? `honour ${option}`;
  const reason = support.refusals?.[option];
  const message = reason ?? `${adapter.displayName} cannot ${words} when it runs without a terminal.`;
  throw new CapabilityError(adapter.name, option, message);
}

/** Whether a fork needs a copy made by us. */
export function needsCopy({ options }: RunPlan, { launch, run }: AgentAdapter): boolean {
  if (options.forkSessionId === undefined || launch?.forkAt === undefined) return false;
  return options.forkMessage !== undefined || !run!.honours.includes("forkSessionId");
}

function sessionChoice({ options }: RunPlan, copy: MadeCopy | undefined): RunRequest["session"] {
  if (options.sessionId !== undefined) return { kind: "resume", id: options.sessionId };
  if (options.forkSessionId !== undefined)
    return { kind: "fork", id: options.forkSessionId, ...optional("copy", copy) };
  return { kind: options.noSession === true ? "none" : "new" };
}

function localFile(
  { filePath, url, base64, mimeType, name }: Attachment,
  plan: RunPlan,
  adapter: AgentAdapter,
  scratch: Scratch,
): { path: string; mimeType?: string } {
  if (base64 !== undefined) {
    const extension = Object.entries(IMAGE_TYPES).find(([, type]) => type === mimeType)?.[0] ?? "";
    const path = scratch.file(name ?? `attachment${extension}`, Buffer.from(base64, "base64"));
    return { path, ...optional("mimeType", mimeType) };
  }
  if (url !== undefined && !url.startsWith("file:")) {
    const message = `${adapter.displayName} takes files from this machine only, not ${url}.`;
    throw new CapabilityError(adapter.name, "attachments", message);
  }
  const path = url === undefined ? resolve(plan.cwd, filePath!) : fileURLToPath(url);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    const message = `names ${basename(path)}, which is not a file`;
    throw new ValidationError([{ field: "attachments", message, received: path, expected: "a file that exists" }]);
  }
  return { path, ...optional("mimeType", mimeType ?? IMAGE_TYPES[extname(path).toLowerCase()]) };
}

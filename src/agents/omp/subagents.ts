/**
 * Sub-agents of an omp session. Each has its own tree in the session's artifact folder, and nested ones in a folder
 * beside that file. omp does not list them as sessions.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionSource, UsageRecord } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { openTree, type TreeOptions, type TreeReader } from "../shared/jsonl-tree.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { fileRecords } from "../shared/tree-file.ts";
import type { TreeLocator } from "../shared/tree-store.ts";
import { agentsStartedBy } from "./format.ts";

interface Subagent {
  id: string;
  /** The path in the artifact folder without extension: the agent's name, or `<parent>/<name>` if nested. */
  label: string;
  tree: TreeReader;
}

/** Opens all sub-agents of a session; unreadable ones are noted and skipped. */
export function openSubagents(
  source: SessionSource,
  owner: TreeHeader | undefined,
  notes: ReadNotes,
  options: TreeOptions,
): Subagent[] {
  const { subagents } = source.locator as TreeLocator;
  const folder = source.path.replace(/\.jsonl(?:\.gz)?$/, "");
  return subagents.flatMap((path) => {
    const tree = openOne(path, owner, notes, options);
    const label = path.slice(folder.length + 1, -".jsonl".length).replaceAll("\\", "/");
    return tree ? [{ id: tree.header?.id ?? label, label, tree }] : [];
  });
}

function openOne(
  path: string,
  owner: TreeHeader | undefined,
  notes: ReadNotes,
  options: TreeOptions,
): TreeReader | undefined {
  try {
    return openTree(fileRecords([path], notes), notes, {
      ...options,
      // A fork copies the artifact folder; earlier usage of its sub-agents was billed to the parent.
      isCopied: ({ at }) =>
        owner?.parentSession !== undefined && at !== undefined && at < (owner.startedMs ?? Number.NEGATIVE_INFINITY),
    });
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    notes.skip(path, error.message);
    return undefined;
  }
}

export function* usageOfSubagents(subagents: readonly Subagent[]): Generator<UsageRecord> {
  for (const { id, tree } of subagents) for (const record of tree.usage()) yield { ...record, subagent: id };
}

export function transcriptsOf(
  subagents: readonly Subagent[],
  parentMessages: () => Iterable<SessionMessage>,
): SubagentTranscript[] {
  if (subagents.length === 0) return [];
  const callOf = callsByName(parentMessages());
  return subagents.map(({ id, label, tree }) => {
    return {
      id,
      label,
      ...optional("toolCallId", callOf.get(label)),
      ...optional("model", tree.head.model),
      messages: [...tree.messages()],
    };
  });
}

function callsByName(messages: Iterable<SessionMessage>): Map<string, string> {
  const calls = new Map<string, string>();
  for (const { toolCalls = [] } of messages)
    for (const call of toolCalls) for (const name of agentsStartedBy(call)) calls.set(name, call.toolCallId);
  return calls;
}

/** Pi's sessions: a JSONL tree in one file each, or the documented folder. */
import { basename, dirname, join } from "node:path";
import { asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv, History, SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { openTree, type TreeReader } from "../shared/jsonl-tree.ts";
import { firstOfEach } from "../shared/source-list.ts";
import { authorOf, headerIdOf, idInName, type TreeLocator, treeSources } from "../shared/tree-store.ts";
import type { TreeHeader } from "../shared/tree-format.ts";
import { fileRecords, summarizeFiles } from "../shared/tree-file.ts";
import { agentDir, bucketOf, isBucket, isOwnDirectory, sessionDir, sessionRoots } from "./locations.ts";

export const history = {
  roots: (env) => sessionRoots(env),
  sessionDir,
  listSessions,
  summarize,
  read,
} satisfies History;

function listSessions(env: AgentEnv, notes: ReadNotes, cwd?: string): SessionSource[] {
  const wanted = cwd === undefined ? undefined : bucketOf(cwd);
  const sources = sessionRoots(env).flatMap((root) => {
    const found = treeSources(root, {
      isBucket,
      // The agent folder itself was only used flat; its subfolders are extensions, tools and similar.
      skips: (name) => (isBucket(name) ? wanted !== undefined && name !== wanted : root === agentDir(env)),
      suffix: ".jsonl",
      hasArtifacts: false,
      onProblem: notes.onProblem,
    });
    return [...found].filter(({ path }) => isOwnDirectory(env, root) || authorOf(path) === "pi");
  });
  return withOddIds(firstOfEach(sources));
}

/**
 * Forks name their parents by file, whose id may differ from its name, so files beside a session are part of its
 * fingerprint.
 */
function withOddIds(sources: SessionSource[]): SessionSource[] {
  const odd = new Map<string, string[]>();
  for (const { path, sessionId } of sources) {
    if (idInName(path) === sessionId) continue;
    const directory = dirname(path);
    const entry = `${basename(path)} ${sessionId}`;
    odd.set(directory, [...(odd.get(directory) ?? []), entry]);
  }
  if (odd.size === 0) return sources;
  return sources.map((source) => ({ ...source, ...optional("elsewhere", odd.get(dirname(source.path))?.join("\n")) }));
}

function summarize(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionHead | undefined {
  const { records } = source.locator as TreeLocator;
  const summary = summarizeFiles(records, notes);
  return summary && withOrigin(summary.head, summary.header, source);
}

function read(source: SessionSource, _env: AgentEnv, notes: ReadNotes): SessionReader | undefined {
  const tree = open(source, notes);
  return tree && { ...tree, head: withOrigin(tree.head, tree.header, source) };
}

function open(source: SessionSource, notes: ReadNotes): TreeReader | undefined {
  const { records, documented } = source.locator as TreeLocator;
  return openTree(fileRecords(records, notes), notes, documented ? { leaf: "newest" } : {});
}

function withOrigin(head: SessionHead, header: TreeHeader | undefined, source: SessionSource): SessionHead {
  const parent = asText(header?.parentSession);
  if (parent === undefined) return head;
  // The parent is named by its path. In v1 the file name has another id than the header, so the header of a parent
  // beside its child is read. The path itself is not followed.
  const name = basename(parent.replaceAll("\\", "/"));
  return { ...head, forkedFrom: headerIdOf(join(dirname(source.path), name)) ?? idInName(name) };
}

/**
 * A plug-in: history of an agent amux does not know. Notebot (made up for this example) keeps one JSON document per
 * session in ~/.notebot/sessions:
 *
 *   { "id": "n1", "dir": "/home/me/dev", "turns": [{ "ask": "…", "answer": "…", "model": "note-1", "tokens": [120, 15] }] }
 *
 * Register it with `client.adapters.register(notebot)`; list, get, search, cost, export and diff then work as for any
 * built-in agent.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  AgentMuxError,
  defineAgent,
  readerOf,
  type SessionHead,
  type SessionMessage,
  type SessionSource,
  type UsageRecord,
} from "amux";

interface Turn {
  ask: string;
  answer: string;
  model: string;
  /** Input and output. */
  tokens: [number, number];
}

interface Notebook {
  id: string;
  dir: string;
  turns: Turn[];
}

export const notebot = defineAgent({
  name: "notebot",
  displayName: "Notebot",
  command: "notebot",
  capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
  launch: { resume: (sessionId) => ["notebot", "--continue", sessionId] },
  history: {
    roots: (env) => [directoryOf(env.home)],
    sessionDir: (env) => directoryOf(env.home),

    listSessions(env, notes) {
      const directory = directoryOf(env.home);
      let names: string[];
      try {
        names = readdirSync(directory);
      } catch {
        return []; // Never used on this machine.
      }
      return names
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => {
          const path = join(directory, name);
          const stat = statSync(path, { throwIfNoEntry: false });
          if (!stat?.isFile()) {
            notes.skip(path, "is not a regular file");
            return [];
          }
          const file = { path, size: stat.size, mtimeMs: stat.mtimeMs };
          return [{ sessionId: name.slice(0, -".json".length), path, files: [file], updatedMs: stat.mtimeMs }];
        });
    },

    summarize(source, _env, notes) {
      try {
        return headOf(load(source), source);
      } catch (error) {
        notes.skip(source.path, (error as Error).message);
        return undefined;
      }
    },

    read(source) {
      const notebook = load(source);
      return readerOf({
        head: headOf(notebook, source),
        messages: notebook.turns.flatMap(messagesOf),
        usage: notebook.turns.map((turn, index) => usageOf(notebook, turn, index)),
        raw: notebook,
      });
    },
  },
});

function directoryOf(home: string): string {
  return join(home, ".notebot", "sessions");
}

function load(source: SessionSource): Notebook {
  try {
    return JSON.parse(readFileSync(source.path, "utf8")) as Notebook;
  } catch (cause) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path} is not a notebook.`, { cause });
  }
}

function headOf(notebook: Notebook, source: SessionSource): SessionHead {
  const model = notebook.turns.at(-1)?.model;
  return {
    title: notebook.turns[0]?.ask ?? "",
    createdMs: source.updatedMs,
    cwd: notebook.dir,
    ...(model === undefined ? {} : { model }),
  };
}

function messagesOf(turn: Turn): SessionMessage[] {
  const [inputTokens, outputTokens] = turn.tokens;
  return [
    { role: "user", content: turn.ask },
    { role: "assistant", content: turn.answer, model: turn.model, tokenUsage: { inputTokens, outputTokens } },
  ];
}

function usageOf({ id }: Notebook, { model, tokens: [input, output] }: Turn, index: number): UsageRecord {
  return {
    key: `${id}/${index}`,
    model,
    tokens: { input, output, cached: 0, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 },
  };
}

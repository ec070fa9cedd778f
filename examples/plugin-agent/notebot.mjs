/**
 * A plug-in for the `amux` command, its daemon, page and terminal interface: history of an agent that amux does not know.
 * Notebot (made up for this example) keeps one JSON document per session in ~/.notebot/sessions:
 *
 *   { "id": "n1", "dir": "/home/me/dev", "turns": [{ "ask": "…", "answer": "…", "model": "note-1", "tokens": [120, 15] }] }
 *
 * amux calls the default export with what it needs, because this file is in no package. It may import `node:` modules only. With
 * the library: `client.adapters.register(notebot(amux))`.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** @param {{ defineAgent: Function, readerOf: Function, AgentMuxError: Function }} amux What a plug-in can use. */
export default ({ AgentMuxError, defineAgent, readerOf }) =>
  defineAgent({
    name: "notebot",
    displayName: "Notebot",
    command: "notebot",
    capabilities: { canResume: true, canFork: false, sessionPersistence: "file" },
    launch: { resume: (sessionId) => ["notebot", "--continue", sessionId] },
    history: {
      roots: (env) => [directoryOf(env)],
      sessionDir: directoryOf,

      listSessions(env, notes) {
        const directory = directoryOf(env);
        if (statSync(directory, { throwIfNoEntry: false }) === undefined) return []; // Never used on this machine.
        const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
        return names.flatMap((name) => {
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
          return headOf(load(source, AgentMuxError), source);
        } catch (error) {
          notes.skip(source.path, error.message);
          return undefined;
        }
      },

      read(source) {
        const notebook = load(source, AgentMuxError);
        return readerOf({
          head: headOf(notebook, source),
          messages: notebook.turns.flatMap(messagesOf),
          usage: notebook.turns.map((turn, index) => usageOf(notebook, turn, index)),
          raw: notebook,
        });
      },
    },
  });

function directoryOf(env) {
  return join(env.home, ".notebot", "sessions");
}

function load({ path }, AgentMuxError) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new AgentMuxError("PARSE_ERROR", `${path} is not a notebook.`, { cause });
  }
}

function headOf({ turns, dir }, source) {
  return { title: turns[0]?.ask ?? "", createdMs: source.updatedMs, cwd: dir, model: turns.at(-1)?.model };
}

function messagesOf({ ask, answer, model, tokens: [inputTokens, outputTokens] }) {
  return [
    { role: "user", content: ask },
    { role: "assistant", content: answer, model, tokenUsage: { inputTokens, outputTokens } },
  ];
}

function usageOf({ id }, { model, tokens: [input, output] }, index) {
  const tokens = { input, output, cached: 0, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 };
  return { key: `${id}/${index}`, model, tokens };
}

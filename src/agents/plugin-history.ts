/** A plug-in's history whose faults stay its own: the other agents' sessions are shown although it throws. */
import { AgentMuxError } from "../core/errors.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { History } from "./adapter.ts";

/** `path`: the plug-in's file, to name in notes and errors. */
export function containedHistory(history: History, path: string): History {
  const attempt = <T>(work: () => T, otherwise: (why: string, error: unknown) => T): T => {
    try {
      return work();
    } catch (error) {
      return otherwise(`The plug-in ${path} failed: ${errorText(error)}`, error);
    }
  };
  const nothing = (): never[] => [];
  const { belongings, lineage } = history;
  return {
    ...history,
    roots: (env) => attempt(() => listFrom("roots", history.roots(env)), nothing),
    sessionDir(env, cwd) {
      const none = (): string => path;
      return attempt(() => textFrom("sessionDir", history.sessionDir(env, cwd)), none);
    },
    listSessions: (env, notes, cwd) =>
      attempt(
        () => listFrom("listSessions", history.listSessions(env, notes, cwd)),
        (why) => {
          notes.skip(path, why);
          return [];
        },
      ),
    summarize: (source, env, notes) =>
      attempt(
        () => history.summarize(source, env, notes),
        (why) => {
          notes.skip(source.path, why);
          return undefined;
        },
      ),
    read: (source, env, notes, what) =>
      attempt(
        () => history.read(source, env, notes, what),
        (why, error) => {
          throw error instanceof AgentMuxError ? error : new AgentMuxError("PARSE_ERROR", why, { cause: error });
        },
      ),
    ...(belongings && {
      belongings: (source, env) =>
        attempt(() => listFrom("belongings", belongings.call(history, source, env)), nothing),
    }),
    ...(lineage && {
      lineage(family, env) {
        const none = (): Map<string, string> => new Map();
        return attempt(() => lineage.call(history, family, env), none);
      },
    }),
  };
}

function listFrom<T>(name: string, answer: T[]): T[] {
  if (!Array.isArray(answer)) throw new Error(`${name} must return an array.`);
  return answer;
}

function textFrom(name: string, answer: string): string {
  if (typeof answer !== "string") throw new Error(`${name} must return a path.`);
  return answer;
}

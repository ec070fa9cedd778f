/** The last snapshot of every project and its events of the last day: two files in amux's home. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { asNumber, asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { withLock } from "../../lib/fs/with-lock.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { PROJECT_EVENTS, type ProjectEvent } from "./project-events.ts";
import type { ProjectSnapshot } from "./project-snapshot.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const KEPT_SECONDS = 24 * 3600;

const PATIENCE_MS = 5000;

export class ProjectLog {
  readonly #directory: string;

  constructor(home: string) {
    this.#directory = join(home, "pm");
  }

  /** Events of the last day, oldest first. */
  events(now: number): ProjectEvent[] {
    return textOf(join(this.#directory, "events.jsonl"))
      .split("\n")
      .flatMap((line) => readEvent(parseObject(line)) ?? [])
      .filter(({ timestamp }) => timestamp > now - KEPT_SECONDS);
  }

  /** `look` gets each project's previous snapshot, and returns the new one with events. */
  record(
    now: number,
    look: (before: ReadonlyMap<string, ProjectSnapshot>) => { snapshots: ProjectSnapshot[]; events: ProjectEvent[] },
  ): ProjectEvent[] {
    ensurePrivateDirectory(this.#directory);
    const done = withLock(join(this.#directory, "lock"), PATIENCE_MS, () => {
      const known = this.snapshots();
      const { snapshots, events } = look(known);
      const isNews = events.length > 0 || snapshots.some((each) => !isDeepStrictEqual(each, known.get(each.dir)));
      if (!isNews) return events;
      const all = new Map([...known, ...snapshots.map((each) => [each.dir, each] as const)]);
      const lines = [...this.events(now), ...events].map((event) => `${JSON.stringify(event)}\n`);
      writeFileAtomic(join(this.#directory, "events.jsonl"), lines.join(""));
      writeFileAtomic(join(this.#directory, "snapshots.json"), `${JSON.stringify([...all.values()], null, 2)}\n`);
      return events;
    });
    if (done === undefined)
      throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process is checking the projects. Try again.", {
        recoverable: true,
      });
    return done.result;
  }

  snapshots(): Map<string, ProjectSnapshot> {
    let value: unknown;
    try {
      value = JSON.parse(textOf(join(this.#directory, "snapshots.json")) || "[]");
    } catch {
      return new Map(); // Damaged: the next snapshot counts as the first.
    }
    return new Map(
      asObjects(value)
        .filter(isSnapshot)
        .map((each) => [each.dir, each]),
    );
  }
}

function isSnapshot(value: Json): value is Json & ProjectSnapshot {
  const tasks = asObject(value["tasks"]);
  return asText(value["dir"]) !== undefined && asNumber(tasks?.["done"]) !== undefined;
}

function readEvent(fields: Json | undefined): ProjectEvent | undefined {
  const type = PROJECT_EVENTS.find((name) => name === fields?.["type"]);
  const timestamp = asNumber(fields?.["timestamp"]);
  const dir = asText(fields?.["dir"]);
  if (type === undefined || timestamp === undefined || dir === undefined) return undefined;
  return {
    type,
    timestamp,
    project: asText(fields?.["project"]) ?? dir,
    dir,
    detail: asText(fields?.["detail"]) ?? "",
  };
}

function textOf(path: string): string {
  try {
    return readText(path);
  } catch {
    return ""; // Nothing recorded yet.
  }
}

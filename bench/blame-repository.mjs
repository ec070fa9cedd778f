/** A repository with known authorship: each line carries who wrote it, so that what blame says can be judged. */
import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scriptedSession } from "./blame-transcripts.mjs";

export const PERSON = "person";
const START = Date.parse("2026-05-04T08:00:00Z");

export class Day {
  clock = START;
  /** path -> [{ text, by, was }]; `was` may also be called its author: it wrote what another one moved or brought back. */
  files = new Map();
  sessions = [];
  /** By commit's subject: who took which lines away. */
  removals = new Map();
  /** Paths of files with the line ends of Windows. */
  windows = new Set();
  #removed = [];
  #names = 0;

  constructor(directory) {
    this.home = join(directory, "home");
    this.repo = join(directory, "shop");
    mkdirSync(this.home, { recursive: true });
    mkdirSync(this.repo, { recursive: true });
    this.git("init", "-q", "-b", "main");
  }

  git(...args) {
    const date = `${Math.floor(this.clock / 1000)} +0000`;
    const env = {
      PATH: process.env.PATH,
      HOME: this.home,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_AUTHOR_NAME: "Dev",
      GIT_AUTHOR_EMAIL: "dev@example.com",
      GIT_COMMITTER_NAME: "Dev",
      GIT_COMMITTER_EMAIL: "dev@example.com",
    };
    // No second git that tidies up, no waiting for the disk.
    const quick = ["-c", "maintenance.auto=false", "-c", "core.fsync=none"];
    return execFileSync("git", ["-C", this.repo, ...quick, ...args], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  pass(minutes = 2) {
    this.clock += minutes * 60_000;
  }

  session(agent) {
    const number = String(this.sessions.length + 1).padStart(4, "0");
    const id = `5e55${number}-0000-4000-8000-${"0".repeat(8)}${number}`;
    const session = scriptedSession(agent, { home: this.home, repo: this.repo, id, now: () => this.clock });
    this.sessions.push(session);
    session.prompt(`Task ${number}: improve the shop.`);
    return session;
  }

  /** `squashed` are subjects of commits that are now one. */
  commit(subject, squashed = []) {
    this.pass();
    this.git("add", "-A");
    this.git("commit", "-q", "-m", subject);
    this.committed(subject, squashed);
    this.pass();
  }

  committed(subject, squashed = []) {
    this.removals.set(subject, [...squashed.flatMap((part) => this.removals.get(part)), ...this.#removed]);
    this.#removed = [];
  }

  /** Another checkout of the repository, with files as they are here. */
  worktree(name, branch) {
    const repo = join(dirname(this.repo), name);
    this.git("worktree", "add", "-q", "-b", branch, repo);
    return { repo, files: new Map([...this.files].map(([path, lines]) => [path, [...lines]])) };
  }

  /** What follows happens in that checkout; returns the one before. */
  enter({ repo, files }) {
    const before = { repo: this.repo, files: this.files };
    Object.assign(this, { repo, files });
    return before;
  }

  texts(path) {
    return (this.files.get(path) ?? []).map(({ text }) => text);
  }

  save(path) {
    const file = join(this.repo, path);
    const end = this.windows.has(path) ? "\r\n" : "\n";
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      this.texts(path)
        .map((text) => `${text}${end}`)
        .join(""),
    );
    utimesSync(file, this.clock / 1000, this.clock / 1000);
  }

  /** The file's lines are these now. */
  #become(path, lines, by) {
    const left = countsOf(lines.map(({ text }) => text));
    for (const text of this.texts(path)) {
      const count = left.get(text) ?? 0;
      if (count === 0) this.#removed.push({ path, text, by });
      else left.set(text, count - 1);
    }
    this.files.set(path, lines);
    this.save(path);
  }

  #splice(path, at, remove, texts, by) {
    const lines = [...(this.files.get(path) ?? [])];
    lines.splice(at, remove, ...texts.map((text) => (typeof text === "string" ? { text, by } : text)));
    this.#become(path, lines, by);
  }

  /** The person types. */
  type(path, at, remove, texts) {
    this.pass();
    this.#splice(path, at, remove, texts, PERSON);
  }

  /** A session replaces lines; `keep` lines before them are in its old and new text, as agents do it. */
  edit(session, path, at, remove, texts, keep = 1) {
    this.pass();
    const from = Math.max(0, at - keep);
    const old = this.texts(path).slice(from, at + remove);
    const before = old.join("\n");
    const after = [...old.slice(0, at - from), ...texts.map((text) => text.text ?? text)].join("\n");
    session.read(path, this.texts(path));
    session.edit({ path, before, after });
    this.#splice(path, at, remove, texts, session.id);
  }

  /** A session replaces a part of one line. */
  editWithin(session, path, at, before, after) {
    this.pass();
    session.edit({ path, before, after });
    this.#splice(path, at, 1, [this.texts(path)[at].replace(before, after)], session.id);
  }

  create(session, path, texts) {
    this.pass();
    session.edit({ path, content: `${texts.join("\n")}\n`, isNew: true });
    this.files.set(path, []);
    this.#splice(path, 0, 0, texts, session.id);
  }

  /** A session writes a whole file again: lines that were there keep their author. */
  overwrite(session, path, change) {
    this.pass();
    session.read(path, this.texts(path));
    this.pass();
    const lines = change(this.files.get(path).map((line) => ({ ...line }))).map((line) =>
      typeof line === "string" ? { text: line, by: session.id } : line,
    );
    session.edit({ path, content: `${lines.map(({ text }) => text).join("\n")}\n` });
    this.#become(path, lines, session.id);
  }

  /** A call that fails changes nothing. */
  failedEdit(session, path, texts) {
    this.pass();
    session.edit({ path, before: "this text is not in the file at all", after: texts.join("\n"), fails: true });
  }

  /** A shell command of a session: its lines are its own, and nowhere recorded. */
  shellEdit(session, path, at, texts) {
    this.pass();
    session.shell(`sed -i '${at}r /dev/stdin' ${path}`);
    this.#splice(path, at, 0, texts, session.id);
  }

  /** As a formatter does: other indentation and quotes, the same authors. */
  format(path) {
    this.reformat(path, ({ text, ...who }) => ({
      text: text.replace(/^ +/, (blanks) => blanks + blanks).replaceAll("'", '"'),
      ...who,
    }));
  }

  /** As a formatter that makes one or several lines of each; the authors are the same. */
  reformat(path, formatted) {
    this.pass();
    this.#become(path, this.files.get(path).flatMap(formatted), PERSON);
  }

  /** A person makes the file be so, with git or by hand; the lines name their authors. */
  restore(path, lines) {
    this.#become(path, lines, PERSON);
  }

  /** git stops, and a person has to go on. */
  conflict(...args) {
    try {
      this.git(...args);
    } catch {
      return;
    }
    throw new Error(`git ${args.join(" ")} found no conflict.`);
  }

  /** A function that occurs once in the repository. */
  code(size = 4) {
    const n = ++this.#names;
    const body = Array.from(
      { length: size },
      (_, i) => `  const part${n}${"abcdefgh"[i % 8]} = compute${n}(input, '${n}-${i}');`,
    );
    return [
      `export function step${n}(input) {`,
      ...body,
      "  if (!input) {",
      "    return;",
      "  }",
      `  return finish${n}(input);`,
      "}",
      "",
    ];
  }
}

function countsOf(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** What blame said about the lines of all files, against who wrote them. `rangesOf` gets a path. */
export async function judgeLines(day, rangesOf) {
  const sum = { lines: 0, bySessions: 0, proved: 0, near: 0, none: 0, wrongProved: [], wrongNear: [] };
  for (const [path, lines] of day.files) {
    const said = originsIn(await rangesOf(path), () => true);
    lines.forEach(({ text, by, was }, index) => {
      const { tier, sessionId } = said.get(`${path}:${index + 1}`);
      const isRight = sessionId === by || (sessionId !== undefined && sessionId === was);
      sum.lines++;
      if (by !== PERSON) {
        sum.bySessions++;
        if (tier === "none" || isRight) sum[tier]++;
      }
      if (tier === "none" || isRight) return;
      const list = tier === "proved" ? sum.wrongProved : sum.wrongNear;
      list.push(`${path}:${index + 1} ${text} (by ${by}, said ${sessionId})`);
    });
  }
  return sum;
}

/** The same about lines that commits took away. `rangesOf` gets a commit. */
export async function judgeRemoved(day, rangesOf) {
  const sum = { lines: 0, bySessions: 0, proved: 0, wrongProved: [] };
  for (const row of day.git("log", "--no-merges", "--format=%H %P%x09%s").trim().split("\n")) {
    const [hashes, subject] = row.split("\t");
    const [commit, parent] = hashes.split(" ");
    const known = day.removals.get(subject);
    if (known === undefined) throw new Error(`Nobody knows who made "${subject}".`);
    for (const [place, { tier, sessionId }] of originsIn(
      await rangesOf(commit),
      (range) => range.change === "removed",
    )) {
      const [, path, line] = /^(.*):(\d+)$/.exec(place);
      const text = day.git("show", `${parent}:${path}`).split("\n")[line - 1].replace(/\r$/, "");
      const by = new Set(known.filter((one) => one.path === path && one.text === text).map((one) => one.by));
      sum.lines++;
      if (!by.has(PERSON) && by.size > 0) sum.bySessions++;
      if (tier !== "proved") continue;
      if (by.has(sessionId) && by.size === 1) sum.proved++;
      else sum.wrongProved.push(`${subject}: ${place} ${text} (by ${[...by].join(" and ")}, said ${sessionId})`);
    }
  }
  return sum;
}

/** By path and line. */
function originsIn(ranges, isMeant) {
  const origins = new Map();
  for (const range of ranges) {
    if (!isMeant(range)) continue;
    for (let line = range.start; line <= range.end; line++) origins.set(`${range.path}:${line}`, range.origin);
  }
  return origins;
}

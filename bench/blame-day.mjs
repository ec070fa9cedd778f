/**
 * A repository with known authorship: a scripted day of three agents and a person, with a rebase, a squash and a formatter. Each
 * line carries who wrote it, so that what blame says can be judged.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scriptedSession } from "./blame-transcripts.mjs";

const PERSON = "person";
const START = Date.parse("2026-05-04T08:00:00Z");

export class Day {
  clock = START;
  /** path -> [{ text, by }] */
  files = new Map();
  sessions = [];
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
    return execFileSync("git", ["-C", this.repo, ...args], {
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

  commit(subject) {
    this.pass();
    this.git("add", "-A");
    this.git("commit", "-q", "-m", subject);
    this.pass();
  }

  texts(path) {
    return (this.files.get(path) ?? []).map(({ text }) => text);
  }

  #save(path) {
    const file = join(this.repo, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      this.texts(path)
        .map((text) => `${text}\n`)
        .join(""),
    );
    utimesSync(file, this.clock / 1000, this.clock / 1000);
  }

  #splice(path, at, remove, texts, by) {
    const lines = this.files.get(path) ?? [];
    lines.splice(at, remove, ...texts.map((text) => ({ text, by })));
    this.files.set(path, lines);
    this.#save(path);
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
    const after = [...old.slice(0, at - from), ...texts].join("\n");
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
    this.files.set(path, lines);
    this.#save(path);
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
    this.pass();
    const formatted = ({ text, by }) => ({
      text: text.replace(/^ +/, (blanks) => blanks + blanks).replaceAll("'", '"'),
      by,
    });
    this.files.set(path, this.files.get(path).map(formatted));
    this.#save(path);
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

/** Lines of one file as they are at the end, with their authors. */
export function makeDay(directory) {
  const day = new Day(directory);
  const files = ["cart", "price", "order", "user", "mail"].map((name) => `src/${name}.js`);
  for (const path of files) day.type(path, 0, 0, [...day.code(), ...day.code(), ...day.code()]);
  day.commit("Import the shop");

  const [claude, codex, gemini] = ["claude", "codex", "gemini"].map((agent) => day.session(agent));
  for (const [index, session] of [claude, codex, gemini].entries()) {
    day.edit(session, files[index], 12, 0, day.code(5));
    day.edit(session, files[index], 2, 2, [`  const total = addEverything(input, '${session.agent}');`]);
    day.create(session, `src/${session.agent}-made.js`, [...day.code(), ...day.code(6)]);
  }
  day.editWithin(claude, files[0], 1, "compute1(input", "computeSafely(input");
  // The person works in the same files before the commit.
  day.type(files[0], 15, 0, ["  auditAccess(input.user, 'typed by hand');"]);
  day.type(files[1], 14, 1, ["  const replacedByHand = measure(input, 'by hand');"]);
  day.type(files[2], 20, 0, day.code(3));
  day.commit("Add steps with three agents");

  // A call that failed, and a person who types it.
  const wanted = day.code(4);
  day.failedEdit(claude, files[3], wanted);
  day.type(files[3], 5, 0, wanted);
  // A person types lines, which a session then writes again with the whole file.
  day.type(files[4], 6, 0, day.code(3));
  day.overwrite(gemini, files[4], (lines) => [...lines.slice(0, 20), ...day.code(4), ...lines.slice(20)]);
  day.shellEdit(codex, files[1], 3, ["  const bySed = insertedByShell(input, 'sed');"]);
  day.commit("Type what failed, write a file anew");

  // Removed and typed again, with a commit in between.
  const again = day.code(4);
  day.edit(codex, files[3], 18, 0, again);
  day.commit("Add a step");
  day.type(files[3], 18, again.length, []);
  day.commit("Remove the step");
  day.type(files[3], 18, 0, again);
  day.commit("Type the step again");

  // Two sessions write the same text.
  const both = day.code(4);
  day.edit(claude, files[2], 3, 0, both);
  day.type(files[2], 3, both.length, []);
  day.edit(gemini, files[2], 3, 0, both);
  // A person copies a session's function.
  const copied = day.code(4);
  day.edit(claude, files[1], 9, 0, copied);
  day.type(files[1], 30, 0, copied);
  day.commit("Repeat text");

  // A branch that is rebased.
  day.git("checkout", "-q", "-b", "feature");
  const second = day.session("claude");
  day.edit(second, files[0], 25, 0, day.code(6));
  day.type(files[0], 28, 0, ["  // by hand on the feature branch, between"]);
  day.commit("Work on a branch");
  day.edit(second, files[4], 4, 1, ["  const onBranch = changedOnBranch(input, 'feature');"]);
  day.commit("Work on a branch again");
  const onBranch = new Map([...day.files].map(([path, lines]) => [path, lines]));
  day.git("checkout", "-q", "main");
  const readme = ["# Shop", "", "A shop that is typed by hand in this line.", ""];
  day.type("README.md", 0, 0, readme);
  day.commit("Write a readme");
  day.git("checkout", "-q", "feature");
  day.pass();
  day.git("rebase", "-q", "main");
  day.git("checkout", "-q", "main");
  day.git("merge", "-q", "--ff-only", "feature");
  for (const [path, lines] of onBranch) day.files.set(path, lines);

  // A branch that is squashed.
  day.git("checkout", "-q", "-b", "squashed");
  const third = day.session("codex");
  day.edit(third, files[3], 2, 1, ["  const squashedIn = takenFromBranch(input, 'squash');"]);
  day.commit("First part");
  day.type(files[3], 12, 0, ["  const besideIt = typedByHand(input, 'squash');"]);
  day.edit(third, files[3], 30, 0, day.code(5));
  day.commit("Second part");
  day.git("checkout", "-q", "main");
  day.pass();
  day.git("merge", "-q", "--squash", "squashed");
  day.commit("Squash a branch");

  // A formatter over what a session and a person wrote.
  const fourth = day.session("gemini");
  day.edit(fourth, files[1], 20, 0, day.code(5));
  day.type(files[1], 22, 0, ["  const thenTyped = byHand(input, 'before the formatter');"]);
  day.format(files[1]);
  day.commit("Format prices");
  day.format("src/codex-made.js");
  day.commit("Format a made file");

  // Left in the working tree.
  day.edit(fourth, files[0], 40, 0, day.code(4));
  day.type(files[0], 43, 0, ["  const lastTyped = byHand(input, 'not committed');"]);
  return day;
}

/** What blame said about the lines of all files, against who wrote them. */
export function judge(day, rangesOf) {
  const sum = { lines: 0, bySessions: 0, proved: 0, near: 0, none: 0, wrongProved: [], wrongNear: [] };
  for (const [path, lines] of day.files) {
    const said = [];
    for (const { start, end, origin } of rangesOf(path))
      for (let line = start; line <= end; line++) said[line] = origin;
    lines.forEach(({ text, by }, index) => {
      const { tier, sessionId } = said[index + 1];
      const isRight = sessionId === by;
      sum.lines++;
      if (by !== PERSON) {
        sum.bySessions++;
        if (tier === "none" || isRight) sum[tier]++;
      }
      if (tier === "proved" && !isRight)
        sum.wrongProved.push(`${path}:${index + 1} ${text} (by ${by}, said ${sessionId})`);
      if (tier === "near" && !isRight) sum.wrongNear.push(`${path}:${index + 1} ${text} (by ${by}, said ${sessionId})`);
    });
  }
  return sum;
}

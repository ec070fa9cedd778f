/** The search written as simply as possible, to check the real one. It reads every message and shares no code. */
import type { Session, SessionMessage } from "../../src/core/session.ts";
import type { Random } from "./random.ts";
import { FILES, SEPARATORS, T0, TOOLS, VOCABULARY } from "./random-corpus.ts";

type MessageTest = { field: "role"; role: string } | { field: "tool" | "file"; text: string; prefix: boolean };

export type Asked =
  | { is: "text"; text: string; prefix: boolean }
  | { is: "session"; field: "agent" | "model" | "cwd" | "branch" | "title"; text: string; prefix: boolean }
  | { is: "date"; field: "before" | "after"; ms: number }
  | { is: "not"; of: Asked }
  | { is: "any"; of: Asked[] }
  | { is: "all"; of: Asked[]; within: MessageTest[] };

// ---- Random queries, and how they are typed.

export function randomQuestion(random: Random, depth = 0): Asked {
  const choice = random.next();
  if (depth > 2 || choice < 0.35) return randomUnit(random);
  if (choice < 0.75) {
    const of = Array.from({ length: random.int(1, 3) }, () => randomQuestion(random, depth + 1));
    return { is: "all", of, within: random.chance(0.35) ? [randomTest(random)] : [] };
  }
  if (choice < 0.9) return { is: "any", of: [randomQuestion(random, depth + 1), randomQuestion(random, depth + 1)] };
  return { is: "not", of: randomQuestion(random, depth + 1) };
}

function randomUnit(random: Random): Asked {
  const choice = random.next();
  if (choice < 0.8) {
    const words = Array.from({ length: random.chance(0.7) ? 1 : random.int(2, 3) }, () => searchWord(random));
    const joined = words.join(random.pick(SEPARATORS.filter((separator) => !/["\\]/.test(separator))));
    return { is: "text", text: joined, prefix: random.chance(0.15) };
  }
  if (choice < 0.9) {
    const field = random.pick(["agent", "model", "cwd", "branch", "title"] as const);
    const values = {
      agent: ["claude", "opencode", "nobody"],
      model: ["opus", "sonnet-5", "gpt"],
      cwd: ["shop-api", "cafe", "検索", "dev"],
      branch: ["main", "fix/retry", "policy"],
      title: ["retry", "cafe", "検索", "file"],
    };
    return { is: "session", field, text: random.pick(values[field]), prefix: random.chance(0.2) };
  }
  return { is: "date", field: random.pick(["before", "after"]), ms: T0 + random.int(0, 60) * 86_400_000 };
}

function searchWord(random: Random): string {
  for (;;) {
    const word = random.pick(VOCABULARY).replace(/["\\]/g, " ");
    const typed = random.chance(0.2) ? word.toUpperCase() : random.chance(0.2) ? word.slice(0, random.int(1, 6)) : word;
    if (stepsOf(typed).length > 0) return typed;
  }
}

function randomTest(random: Random): MessageTest {
  const field = random.pick(["role", "tool", "file"] as const);
  if (field === "role") return { field, role: random.pick(["user", "assistant", "tool", "system"]) };
  const text = random.pick(field === "tool" ? [...TOOLS, "read", "file"] : [...FILES, "cafe", "byte", "md"]);
  return { field, text, prefix: random.chance(0.2) };
}

export function typed(asked: Asked): string {
  switch (asked.is) {
    case "text":
      return quoted(asked);
    case "session":
      return `${asked.field}:${quoted(asked)}`;
    case "date":
      return `${asked.field}:${new Date(asked.ms).toISOString()}`;
    case "not":
      return `-${grouped(asked.of)}`;
    case "any":
      return asked.of.map(grouped).join(" OR ");
    case "all":
      return [
        ...asked.within.map((test) => ("role" in test ? `role:${test.role}` : `${test.field}:${quoted(test)}`)),
        ...asked.of.map(grouped),
      ].join(" ");
  }
}

function grouped(asked: Asked): string {
  return asked.is === "any" || asked.is === "all" ? `(${typed(asked)})` : typed(asked);
}

function quoted({ text, prefix }: { text: string; prefix: boolean }): string {
  return `"${text}"${prefix ? "*" : ""}`;
}

// ---- The answer.

export function isFound(asked: Asked, session: Session, within: readonly MessageTest[] = []): boolean {
  switch (asked.is) {
    case "text": {
      if (within.length === 0 && occurs(asked, session.title)) return true;
      return messagesOf(session).some(
        ({ message, files }) => fits(message, files, within) && textsOf(message).some((text) => occurs(asked, text)),
      );
    }
    case "session": {
      const models = messagesOf(session).map(({ message }) => message.model);
      const values = asked.field === "model" ? [session.model, ...models] : [session[asked.field]];
      return values.some((value) => value !== undefined && occurs(asked, value));
    }
    case "date":
      return asked.field === "after" ? session.updatedAt.getTime() >= asked.ms : session.createdAt.getTime() < asked.ms;
    case "not":
      return !isFound(asked.of, session, within);
    case "any":
      return asked.of.some((part) => isFound(part, session, within));
    case "all": {
      const inner = [...within, ...asked.within];
      if (asked.within.length > 0 && !messagesOf(session).some(({ message, files }) => fits(message, files, inner)))
        return false;
      return asked.of.every((part) => isFound(part, session, inner));
    }
  }
}

function messagesOf(session: Session): { message: SessionMessage; files: string[] }[] {
  return [session.messages, ...(session.subagents ?? []).map((helper) => helper.messages)].flatMap((messages) => {
    const filesOf = new Map<string, string[]>();
    for (const call of messages.flatMap((message) => message.toolCalls ?? [])) {
      const input = call.input as { file_path?: string; filePath?: string };
      filesOf.set(call.toolCallId, [input.file_path ?? input.filePath!]);
    }
    return messages.map((message) => ({
      message,
      files: message.toolResult
        ? (filesOf.get(message.toolResult.toolCallId) ?? [])
        : (message.toolCalls ?? []).flatMap((call) => filesOf.get(call.toolCallId)!),
    }));
  });
}

function fits(message: SessionMessage, files: readonly string[], within: readonly MessageTest[]): boolean {
  const tools = message.toolResult
    ? [message.toolResult.toolName]
    : (message.toolCalls ?? []).map((call) => call.toolName);
  return within.every((test) => {
    if (test.field === "role") return message.role === test.role;
    return (test.field === "tool" ? tools : files).some((name) => occurs(test, name));
  });
}

function textsOf(message: SessionMessage): string[] {
  if (message.toolResult) {
    const { output } = message.toolResult;
    return typeof output === "string" ? [output] : ["image"].filter(() => JSON.stringify(output).includes('"image"'));
  }
  return [
    message.content,
    message.thinking ?? "",
    ...(message.toolCalls ?? []).flatMap((call) => [
      call.toolName,
      ...Object.values(call.input as object).filter((value) => typeof value === "string"),
    ]),
  ];
}

function occurs({ text, prefix }: { text: string; prefix: boolean }, inside: string): boolean {
  const steps = stepsOf(text);
  const positions = positionsIn(inside);
  const matches = ({ word, joined }: Step, index: number, at: number): boolean => {
    const position = positions[at + index];
    // A query without spaces matches only text without spaces.
    if (position === undefined || (joined && !position.joined)) return false;
    const isLast = index === steps.length - 1;
    return position.forms.some((form) => form === word || (prefix && isLast && form.startsWith(word)));
  };
  return positions.some((_, at) => steps.every((step, index) => matches(step, index, at)));
}

interface Step {
  word: string;
  /** Joined to the one before, in text without spaces. */
  joined: boolean;
}

interface Position {
  /** The forms that match here. */
  forms: string[];
  joined: boolean;
}

const DENSE = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

function runsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap(
    (run) =>
      run.match(
        /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]+/gu,
      ) ?? [],
  );
}

function plain(text: string): string {
  const bare = [...text.normalize("NFKD")].filter((character) => !/[\u0300-\u036f]/.test(character)).join("");
  // Upper case first: ß becomes SS, ı becomes I.
  return bare
    .toUpperCase()
    .toLowerCase()
    .replace(/ς/g, "σ")
    .replace(/[łøđħŧ]/g, (letter) => "lodht"["łøđħŧ".indexOf(letter)]!)
    .replace(/æ/g, "ae")
    .replace(/œ/g, "oe")
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "");
}

const known = new Map<string, Position[]>();

/** In text without spaces every character is a position. */
function positionsIn(text: string): Position[] {
  const positions = known.get(text) ?? positionsOf(text);
  known.set(text, positions);
  return positions;
}

function positionsOf(text: string): Position[] {
  return runsOf(text).flatMap((run) => {
    if (DENSE.test(run)) return [...plain(run)].map((character, index) => ({ forms: [character], joined: index > 0 }));
    const whole = plain(run).slice(0, 64);
    if (whole === "") return [];
    const humps =
      run.length > 64
        ? []
        : run
            .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
            .replace(/([\p{L}\p{N}\p{M}])(\p{Lu}\p{Ll})/gu, "$1 $2")
            .split(" ");
    const code = /^([A-Z]{1,5})([0-9]{3,})$/.exec(run.length > 64 ? "" : run)?.slice(1) ?? [];
    const parts = (humps.length > 1 ? humps : code).map(plain).filter((part) => part.length > 1);
    return [{ forms: [whole, ...parts], joined: false }];
  });
}

function stepsOf(text: string): Step[] {
  return runsOf(text).flatMap((run) => {
    if (DENSE.test(run)) return [...plain(run)].map((word, index) => ({ word, joined: index > 0 }));
    return [plain(run).slice(0, 64)].filter((word) => word !== "").map((word) => ({ word, joined: false }));
  });
}

/** Messages shown by the map equal those of a full read. */
import { appendFileSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { damaged, randomFrom, type Random } from "../../../test/support/damaged-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentAdapter, AgentEnv, SessionSource } from "../../agents/adapter.ts";
import { BUILTIN_AGENTS } from "../../agents/builtin.gen.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import type { SessionTexts } from "../../agents/text-message.ts";
import { documentOf } from "./document.ts";
import { Matcher, type Findings } from "./matcher.ts";
import { MessageMapper, messageMapOf, type MessageMap } from "./message-map.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";

const AGENTS = join(import.meta.dirname, "../../agents");
const FACTS = { agent: "", title: "", cwd: undefined, branch: undefined, createdMs: 0, updatedMs: 0, models: [] };

function envOf(home: string): AgentEnv {
  return { home, platform: "linux", vars: {} };
}

interface Mapped {
  map: MessageMap | undefined;
  words: string[];
}

/** As the index stores it, with all words of the session. */
function mapped({ history }: AgentAdapter, source: SessionSource, env: AgentEnv): Mapped | undefined {
  let texts: SessionTexts | undefined;
  try {
    texts = history!.indexed!.texts(source, env, new ReadNotes());
  } catch {
    // A damaged file has no texts.
  }
  if (texts === undefined) return undefined;
  const mapper = new MessageMapper();
  const words = new Set<string>();
  for (const message of documentOf(texts)) {
    for (const { text } of message.parts)
      for (const [word] of text.toLowerCase().matchAll(/[a-z]{3,}/g)) words.add(word);
    mapper.add(message);
  }
  const bytes = mapper.bytes(source);
  return { map: bytes && messageMapOf(bytes), words: [...words] };
}

function shownOf(findings: Findings): unknown {
  return findings.places;
}

/** Undefined when the map cannot answer. */
function shownByMap(agent: AgentAdapter, source: SessionSource, map: MessageMap, text: string): unknown {
  const matcher = new Matcher(planOf(parseQuery(text)!));
  const mapped = matcher.mapped!;
  const findings = matcher.match(FACTS, mapped.of(agent.history!, source, map), true);
  return mapped.isUnfit ? undefined : shownOf(findings);
}

function shownByReading({ history }: AgentAdapter, source: SessionSource, env: AgentEnv, text: string): unknown {
  const texts = history!.indexed!.texts(source, env, new ReadNotes())!;
  return shownOf(new Matcher(planOf(parseQuery(text)!)).match(FACTS, documentOf(texts), true));
}

/** Returns whether there was a map. */
function expectSame(agent: AgentAdapter, source: SessionSource, env: AgentEnv, random: Random): boolean {
  const { map, words = [] } = mapped(agent, source, env) ?? {};
  if (map === undefined) return false;
  const any = (): string => words[random(words.length)] ?? "nothing";
  for (const text of [any(), any(), `${any()} ${any()}`, `${any()} OR ${any()}`, `${any().slice(0, 2)}*`]) {
    const read = shownByReading(agent, source, env, text);
    const shown = shownByMap(agent, source, map, text);
    if (shown !== undefined) expect(shown).toEqual(read);
  }
  return true;
}

/** Texts of many lengths, with words in the first, the last, a few and many of them. */
function longTexts(random: Random): string[] {
  const count = 160;
  return Array.from({ length: count }, (_, number) => {
    const filler = "lorem ipsum ".repeat(random(1600));
    const words = [number === 0 && "first", number === count - 1 && "last", number % 50 === 49 && "seldom"];
    return [filler, ...words.filter(Boolean), number % 3 === 2 ? "often" : "", filler].join(" ");
  });
}

const LONG = {
  claude: {
    path: ".claude/projects/-home-user-dev/5b6c9a52-0000-4000-8000-000000000001.jsonl",
    lines: (random: Random) =>
      longTexts(random).map((text, number) => {
        const isUser = number % 4 === 0;
        const message = isUser
          ? { role: "user", content: text }
          : { id: `msg_${number >> 2}`, role: "assistant", model: "claude-opus-5", content: [{ type: "text", text }] };
        return {
          parentUuid: number === 0 ? null : `uuid-${number - 1}`,
          sessionId: "5b6c9a52-0000-4000-8000-000000000001",
          type: isUser ? "user" : "assistant",
          uuid: `uuid-${number}`,
          timestamp: new Date(Date.UTC(2026, 4, 1, 0, 0, number)).toISOString(),
          message,
        };
      }),
  },
  codex: {
    path: ".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-5b6c9a52-0000-4000-8000-000000000001.jsonl",
    lines: (random: Random) => {
      const timestamp = "2026-05-01T10:00:00.000Z";
      const id = "5b6c9a52-0000-4000-8000-000000000001";
      const meta = { id, timestamp, cwd: "/home/user/dev", cli_version: "0.166.0" };
      const spoken = longTexts(random).map((text, number) =>
        number % 4 === 0
          ? { timestamp, type: "event_msg", payload: { type: "user_message", message: text } }
          : {
              timestamp,
              type: "response_item",
              payload: { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
            },
      );
      return [{ timestamp, type: "session_meta", payload: meta }, ...spoken];
    },
  },
};

describe.each(["claude", "codex"] as const)("the messages shown of %s", (name) => {
  const home = join(AGENTS, name, "fixtures/home");

  it("are what reading every recorded session gives", async () => {
    const agent = (await BUILTIN_AGENTS[name]()).default;
    const env = envOf(home);
    const sources = agent.history!.listSessions(env, new ReadNotes());
    const random = randomFrom(5);
    const done = sources.filter((source) => expectSame(agent, source, env, random));
    expect(done.length).toBeGreaterThan(sources.length / 2);
  });

  it("are the same however a file is damaged", async () => {
    const agent = (await BUILTIN_AGENTS[name]()).default;
    const copy = tempHome(home);
    const env = envOf(copy.path);
    const random = randomFrom(17);
    for (const { path } of agent.history!.listSessions(env, new ReadNotes()).flatMap(({ files }) => files)) {
      const sound = readFileSync(path);
      for (let round = 0; round < 3; round++) {
        writeFileSync(path, damaged(sound, random));
        const sources = agent.history!.listSessions(env, new ReadNotes());
        const source = sources.find(({ files }) => files.some((file) => file.path === path));
        if (source) expectSame(agent, source, env, random);
      }
      writeFileSync(path, sound);
    }
  });

  it("are the same in a file longer than the buffer", async () => {
    const agent = (await BUILTIN_AGENTS[name]()).default;
    const copy = tempHome();
    const env = envOf(copy.path);
    const path = join(copy.path, LONG[name].path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      LONG[name]
        .lines(randomFrom(23))
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    expect(statSync(path).size).toBeGreaterThan(1024 * 1024);
    const [source] = agent.history!.listSessions(env, new ReadNotes());
    const { map } = mapped(agent, source!, env)!;
    for (const word of ["first", "seldom", "last", "often"]) {
      const shown = shownByMap(agent, source!, map!, word);
      expect(shown).toEqual(expect.arrayContaining([expect.anything()]));
      expect(shown).toEqual(shownByReading(agent, source!, env, word));
    }
  });

  it("do not come from a map once a file has changed", async () => {
    const agent = (await BUILTIN_AGENTS[name]()).default;
    const copy = tempHome(home);
    const env = envOf(copy.path);
    const sources = agent.history!.listSessions(env, new ReadNotes());
    const [source, known] = sources
      .map((each) => [each, mapped(agent, each, env)] as const)
      .find(([, each]) => each?.map !== undefined && each.words.length > 0)!;
    const { map, words } = known!;
    expect(shownByMap(agent, source, map!, words[0]!)).toBeDefined();
    const { path } = source.files[map!.files[0]!.file]!;
    const { atime, mtime } = statSync(path);
    appendFileSync(path, "\n");
    utimesSync(path, atime, mtime);
    expect(shownByMap(agent, source, map!, words[0]!)).toBeUndefined();
  });
});

/** Starts a session: an agent or a shell, and its directory. */
import { isAbsolute } from "node:path";
import { isExistingDirectory } from "../../lib/fs/complete-directory.ts";
import { resolveHome, workingDirectory } from "../../lib/fs/paths.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { StartableAgent } from "../services.ts";
import type { Stage } from "../view.ts";
import { completePath } from "./complete-path.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { PromptView } from "./prompts.ts";

/** `directory`: the default. */
export async function newSession(stage: Stage, directory = workingDirectory()): Promise<void> {
  const agents = await stage.services.agents();
  const shell = stage.services.env.vars["SHELL"] || "/bin/sh";
  const items: ListItem[] = [
    { id: shell, label: "shell", detail: shell },
    ...agents.map(({ displayName, command }) => ({ id: command, label: displayName, detail: command })),
  ];
  stage.push(
    new ListView(stage, {
      title: "Start a session",
      hint: "enter start  tab with a prompt, a model  esc cancel",
      placeholder: 'an agent, or any command: claude --model opus "fix the tests"',
      items: () => items,
      empty: (line) => `enter runs ${line.trim()}`,
      act: (action, item, filter, view) => {
        const agent = agents.find(({ command }) => command === item?.id);
        if (action === "choose-beside" && agent?.commandWith !== undefined) {
          view.close();
          return askPrompt(stage, agent, directory);
        }
        if (action !== "choose") return;
        const command = item === undefined ? typedCommand(filter.trim(), shell) : [item.id];
        if (command[0] === undefined || command[0] === "") return;
        view.close();
        askDirectory(stage, item === undefined ? filter.trim() : item.id, command, directory);
      },
    }),
  );
}

function askPrompt(stage: Stage, { displayName, command, commandWith }: StartableAgent, directory: string): void {
  const ask = (title: string, answer: (text: string) => void): void =>
    stage.push(new PromptView(stage, title, "", answer));
  ask(`Prompt for ${displayName}`, (prompt) =>
    ask("Model (empty: its default)", (model) => {
      try {
        askDirectory(stage, command, commandWith!(prompt.trim(), model.trim()), directory);
      } catch (error) {
        stage.say(errorText(error), "bad");
      }
    }),
  );
}

function askDirectory(stage: Stage, what: string, command: readonly string[], directory: string): void {
  stage.push(
    new PromptView(
      stage,
      `Directory for: ${what}`,
      directory,
      (text) => stage.attempt(start(stage, command, text.trim() === "" ? directory : text.trim())),
      { complete: (text) => completePath(stage.services.env, text), recent: recentDirectories(stage, directory) },
    ),
  );
}

/** Enough for a glance. */
const MOST_RECENT = 6;

/** Where sessions of this machine were last, except here. */
function recentDirectories({ board }: Stage, except: string): string[] {
  const local = board.rows().filter(({ kind, cwd }) => kind !== "peer" && cwd !== "" && cwd !== except);
  const places = new Set(local.toSorted((a, b) => b.updatedMs - a.updatedMs).map(({ cwd }) => cwd));
  const found: string[] = [];
  for (const place of places) {
    if (found.length === MOST_RECENT) break;
    if (isAbsolute(place) && isExistingDirectory(place)) found.push(place);
  }
  return found;
}

/** Shell syntax: pipes, variables, patterns, `NAME=value` prefixes. */
const SHELL_SYNTAX = /[|&;<>()$`\\*?[\]#~{}!]|^\w+=/;
/** A word, with quoted parts. */
const WORD = /(?:[^\s"']+|"[^"]*"|'[^']*')+/g;

/** Only a line with shell syntax runs in a shell; any other runs directly, so that an agent is recognised. */
export function typedCommand(line: string, shell: string): string[] {
  const bare = line.replace(/"[^"$`\\!]*"|'[^']*'/g, "");
  if (SHELL_SYNTAX.test(bare) || /["']/.test(bare)) return [shell, "-c", line];
  return (line.match(WORD) ?? []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

async function start(stage: Stage, command: readonly string[], directory: string): Promise<void> {
  const cwd = resolveHome(stage.services.env, directory);
  if (!isExistingDirectory(cwd)) return stage.say(`${cwd} is not a directory.`, "bad");
  const id = await stage.services.client.spawn(await stage.services.launch(command, cwd));
  stage.board.refresh();
  await stage.openSession(id);
}

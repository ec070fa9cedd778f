/** Starts a session: an agent or a shell, and its directory. */
import { isAbsolute } from "node:path";
import { addWorktree } from "../../changes/worktree/add-worktree.ts";
import { checkoutOf } from "../../changes/worktree/repository.ts";
import { startWithSetUp } from "../../changes/worktree/set-up.ts";
import { isExistingDirectory } from "../../lib/fs/complete-directory.ts";
import { resolveHome, workingDirectory } from "../../lib/fs/paths.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { WorktreeRequest } from "../../protocol/daemon-api.ts";
import type { StartableAgent } from "../services.ts";
import type { Stage } from "../view.ts";
import { completePath } from "./complete-path.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { askText, PromptView } from "./prompts.ts";

/** `directory`: the default. */
export async function newSession(stage: Stage, directory = workingDirectory()): Promise<void> {
  const agents = await stage.services.agents();
  const shell = stage.services.env.vars["SHELL"] || "/bin/sh";
  const items: ListItem[] = [
    ...agents.map(({ displayName, command }) => ({ id: command, label: displayName, detail: command })),
    { id: shell, label: "shell", detail: shell },
  ];
  stage.push(
    new ListView(stage, {
      title: "Start a session",
      hint: "enter start  tab with prompt, model, worktree  esc cancel",
      placeholder: 'an agent, or any command: claude --model opus "fix the tests"',
      items: () => items,
      empty: (line) => `enter runs ${line.trim()}`,
      act: (action, item, filter, view) => {
        const agent = agents.find(({ command }) => command === item?.id);
        if (action === "choose-beside" && agent?.commandWith !== undefined) {
          view.close();
          return askPrompt(stage, agent, directory);
        }
        if (action === "choose-beside")
          return stage.say(`${item?.label ?? "A command"} takes no prompt here: choose an agent that does.`);
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
  const withModel = (prompt: string, model: string): void => {
    try {
      const words = commandWith!(prompt.trim(), model.trim());
      askDirectory(stage, command, words, directory, (cwd) => askWorktree(stage, words, cwd));
    } catch (error) {
      stage.say(errorText(error), "bad");
    }
  };
  askText(stage, `Prompt for ${displayName}`, "", (prompt) =>
    stage.push(new PromptView(stage, "Model (empty: its default)", "", (model) => withModel(prompt, model))),
  );
}

/** `next`: what to do with the directory; by default, start there. */
function askDirectory(
  stage: Stage,
  what: string,
  command: readonly string[],
  directory: string,
  next = (cwd: string): Promise<void> => start(stage, command, cwd),
): void {
  const recent: string[] = [];
  stage.push(
    new PromptView(
      stage,
      `Directory for: ${what}`,
      directory,
      (text) => stage.attempt(next(resolveHome(stage.services.env, text.trim() === "" ? directory : text.trim()))),
      { complete: (text) => completePath(stage.services.env, text), recent },
    ),
  );
  stage.attempt(
    recentDirectories(stage, directory).then((found) => {
      recent.push(...found);
      stage.redraw();
    }),
  );
}

/** Enough for a glance. */
const MOST_RECENT = 6;

/** Where sessions of this machine were last, except here. */
async function recentDirectories({ board }: Stage, except: string): Promise<string[]> {
  const local = board.rows().filter(({ kind, cwd }) => kind !== "peer" && cwd !== "" && cwd !== except);
  const places = new Set(local.toSorted((a, b) => b.updatedMs - a.updatedMs).map(({ cwd }) => cwd));
  const found: string[] = [];
  for (const place of places) {
    if (found.length === MOST_RECENT) break;
    if (isAbsolute(place) && (await isExistingDirectory(place))) found.push(place);
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

/** Only inside of a repository. */
async function askWorktree(stage: Stage, command: readonly string[], cwd: string): Promise<void> {
  if (!(await isExistingDirectory(cwd)) || (await checkoutOf(cwd)) === undefined) return start(stage, command, cwd);
  stage.push(
    new PromptView(stage, "Worktree for a branch (empty: none, +: a new name)", "", (text) => {
      const branch = text.trim();
      stage.attempt(branch === "" ? start(stage, command, cwd) : startInWorktree(stage, command, cwd, branch));
    }),
  );
}

async function startInWorktree(stage: Stage, command: readonly string[], cwd: string, branch: string): Promise<void> {
  const { data: request } = WorktreeRequest.safeParse(branch === "+" ? {} : { branch });
  if (request === undefined) return stage.say(`"${branch}" cannot be a branch name.`, "bad");
  stage.say("Creating the worktree …");
  const made = await addWorktree(cwd, request, stage.services.env);
  await start(stage, command, made.cwd, (words) => startWithSetUp(made, words));
  stage.say([`Worktree ${made.path}, branch ${made.branch}.`, ...made.notes].join(" "));
}

/** `words`: the words to start instead of the command's. */
async function start(
  stage: Stage,
  command: readonly string[],
  cwd: string,
  words = (own: readonly string[]): readonly string[] => own,
): Promise<void> {
  if (!(await isExistingDirectory(cwd))) return stage.say(`${cwd} is not a directory.`, "bad");
  const request = await stage.services.launch(command, cwd);
  const own = request.argv ?? request.command;
  const argv = words(own);
  const id = await stage.services.client.spawn(argv === own ? request : { ...request, argv: [...argv] });
  stage.board.refresh();
  await stage.openSession(id);
}

/** Starting a session: an agent or a shell, and where. */
import { statSync } from "node:fs";
import { resolveHome, workingDirectory } from "../../lib/paths.ts";
import type { Stage } from "../view.ts";
import { ListView, type ListItem } from "./list-view.ts";
import { PromptView } from "./prompts.ts";

/** `directory`: where it begins unless another is typed. */
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
      hint: "enter starts it  esc cancels",
      placeholder: "an agent, or any command",
      items: () => items,
      act: (action, item, filter, view) => {
        if (action !== "choose") return;
        const command = item === undefined ? filter.trim().split(/\s+/) : [item.id];
        if (command[0] === undefined || command[0] === "") return;
        view.close();
        stage.push(
          new PromptView(stage, `${command.join(" ")} in which directory?`, directory, (text) =>
            stage.attempt(start(stage, command, text.trim() === "" ? directory : text.trim())),
          ),
        );
      },
    }),
  );
}

async function start(stage: Stage, command: readonly string[], directory: string): Promise<void> {
  const cwd = resolveHome(stage.services.env, directory);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return stage.say(`${cwd} is no directory.`, "bad");
  const id = await stage.services.client.spawn(await stage.services.launch(command, cwd));
  stage.board.refresh();
  await stage.openSession(id);
}

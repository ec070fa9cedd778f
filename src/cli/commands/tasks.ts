import { resolve } from "node:path";
import { AgentMuxError, type ErrorCode } from "../../core/errors.ts";
import { amuxHome, processEnv, type PathEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { readGitInfo } from "../../status/git-info.ts";
import { resolveCurrentPbi, type CurrentPbi } from "../../status/tasks/current-pbi.ts";
import { noTaskProvider, taskConfigOf, type TaskConfig } from "../../status/tasks/task-config.ts";
import type { TaskErrorKind } from "../../status/tasks/task-error.ts";
import {
  categoryOf,
  type Task,
  type TaskCategory,
  type TaskGroup,
  type TaskList,
} from "../../status/tasks/task-list.ts";
import { PBI_SOURCE } from "../../status/status-file.ts";
import { programsOf, TaskService } from "../../status/tasks/task-service.ts";
import { TrustFile } from "../../status/trust.ts";
import { asText } from "../../lib/json/fields.ts";
import type { Command } from "../command.ts";
import { statusStore } from "../tmux-sessions.ts";
import { askYesOrNo, canAsk } from "../run/ask.ts";
import { existing } from "../run/run-options.ts";
import type { Output, Style } from "../output.ts";

const CODES: Record<TaskErrorKind, ErrorCode> = {
  timeout: "TIMEOUT",
  parse: "PARSE_ERROR",
  exec: "PLUGIN_ERROR",
  not_found: "CONFIG_ERROR",
  untrusted: "CONFIG_ERROR",
};

const command: Command = {
  name: "tasks",
  description:
    "Lists tasks from the project's task provider: markdown-tasks (docs/delivery/backlog.md, a table or a list of - [ ] lines), github-issues, or a program that prints JSON. Configure it in the project's .agent-mux/tasks.json or .navi.yaml, or in tasks.json of AMUX_HOME. A project's own program runs only after amux trust.",
  options: [
    { name: "cwd", value: "dir", description: "the project (default: here)" },
    { name: "open", description: "leave out completed tasks" },
  ],
  examples: [
    ["amux tasks", "tasks of the project in this directory"],
    [
      `mkdir -p .agent-mux; echo '{"provider":"github-issues"}' > .agent-mux/tasks.json`,
      "GitHub's issues, by milestone",
    ],
  ],
  async run(invocation) {
    const { output } = invocation;
    const cwd = existing(resolve(invocation.text("cwd") ?? "."));
    const env = processEnv();
    const config = await taskConfigOf(env, cwd);
    if (config === undefined) throw new AgentMuxError("CONFIG_ERROR", noTaskProvider(cwd));
    await askForTrust(config, env);
    const [answer, git] = await Promise.all([new TaskService(env).tasks(config), readGitInfo(cwd)]);
    if ("error" in answer)
      throw new AgentMuxError(CODES[answer.error.kind], answer.error.message, { cause: answer.error });
    const current = resolveCurrentPbi({
      list: answer.list,
      sessions: sessionsIn(config.projectDirectory),
      branch: git?.branch ?? "",
      branchPatterns: config.branchPatterns,
    });
    const list = invocation.flag("open") ? withoutDone(answer.list, config) : answer.list;
    if (output.json)
      return output.writeJson({
        project: config.projectDirectory,
        provider: config.provider,
        current: current ?? null,
        ...list,
      });
    await output.page(lines(list, current, config, output).map((line) => `${line}\n`));
  },
};

export default command;

/** Asks once on a terminal; otherwise the error says how to trust it. */
async function askForTrust(config: TaskConfig, env: PathEnv): Promise<void> {
  const programs = programsOf(config, env);
  const trust = new TrustFile(amuxHome(env));
  if (programs === undefined || !canAsk() || trust.verdict(programs) === "trusted") return;
  const question = `The tasks of ${programs.directory} come from a program of the project:\n  ${programs.files.join("\n  ")}\nIt runs as you. Run it now and from now on, until it changes?`;
  if (await askYesOrNo(question)) trust.trust(programs, new Date());
}

function sessionsIn(directory: string): { pbi: string; title: string; timestamp: number }[] {
  return statusStore()
    .list()
    .filter(({ file }) => file.cwd !== "" && resolve(file.cwd) === directory && file[PBI_SOURCE] === undefined)
    .map(({ file }) => ({
      pbi: asText(file["current_pbi"]) ?? "",
      title: asText(file["current_pbi_title"]) ?? "",
      timestamp: file.timestamp,
    }));
}

function withoutDone(list: TaskList, { statusMap }: TaskConfig): TaskList {
  const isOpen = ({ status }: Task): boolean => categoryOf(status, statusMap) !== "done";
  const groups = list.groups.map((group) => ({ ...group, tasks: group.tasks.filter(isOpen) }));
  return {
    ...list,
    groups: groups.filter(({ tasks, status = "" }) => tasks.length > 0 || categoryOf(status, statusMap) !== "done"),
  };
}

const STYLES: Partial<Record<TaskCategory, Style>> = { done: "dim", active: "cyan", blocked: "red", review: "yellow" };
const MARKS: Record<TaskCategory, string> = {
  done: "✓",
  active: "▶",
  todo: "·",
  blocked: "✗",
  review: "?",
  other: " ",
};

function lines(list: TaskList, current: CurrentPbi | undefined, config: TaskConfig, output: Output): string[] {
  const result = list.groups.flatMap((group) => [
    heading(group, current, config, output),
    ...group.tasks.map((task) => taskLine(task, config, output)),
    "",
  ]);
  if (current !== undefined)
    result.push(`Working on ${oneLine(`${current.id} ${current.title}`)} (${current.source.replaceAll("_", " ")}).`);
  return result.length === 0 ? ["There are no tasks."] : result;
}

function heading(
  { id, title, status = "", tasks }: TaskGroup,
  current: CurrentPbi | undefined,
  { statusMap }: TaskConfig,
  output: Output,
): string {
  const done = tasks.filter((task) => categoryOf(task.status, statusMap) === "done").length;
  const name = output.style("bold", oneLine(`${id} ${title}`) || "Tasks");
  const isCurrent = current !== undefined && current.id === id && current.title === title;
  return `${isCurrent ? "▸ " : ""}${name}${status === "" ? "" : `  ${oneLine(status)}`}  ${done}/${tasks.length}`;
}

function taskLine(
  { id, title, status, assignee, labels = [] }: Task,
  { statusMap }: TaskConfig,
  output: Output,
): string {
  const category = categoryOf(status, statusMap);
  const extras = [assignee === undefined ? "" : `@${assignee}`, ...labels.map((label) => `#${label}`)].filter(
    (part) => part !== "",
  );
  const text = [`${MARKS[category]} ${oneLine(id)}`, oneLine(title), oneLine(extras.join(" "))]
    .filter((part) => part !== "")
    .join("  ");
  const style = STYLES[category];
  return `  ${style === undefined ? text : output.style(style, text)}`;
}

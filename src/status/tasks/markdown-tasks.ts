/**
 * Tasks from Markdown tables: `backlog.md` lists items (ID, User Story, Status), `<id>/tasks.md` an item's tasks (Task ID, Name,
 * Status), and the first line of `<id>/prd.md` is its title. Without a table, `backlog.md` is a list of `- [ ] task` lines under
 * headings.
 */
import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { plain, type TaskGroup, type TaskList } from "./task-list.ts";
import { TaskError } from "./task-error.ts";
import { ANSWERING, type AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const DEFAULT_PATH = "docs/delivery";

const FORMAT =
  "It holds a Markdown table with the columns ID, User Story and Status, or a list with - [ ] before each task.";

/** `path`: directory of the backlog. `status_filter`: only items with one of these, comma-separated. */
export async function markdownTasks(
  projectDirectory: string,
  args: Readonly<Record<string, string>>,
  answering = ANSWERING,
): Promise<TaskList> {
  const directory = resolve(projectDirectory, args["path"] ?? DEFAULT_PATH);
  if (!(await answering.has(directory))) throw doesNotAnswer(directory);
  const backlog = await read(join(directory, "backlog.md"), answering);
  if (backlog === undefined) throw new TaskError("not_found", `There is no backlog.md in ${directory}. ${FORMAT}`);
  if (!hasItems(backlog)) {
    const groups = listedTasks(backlog);
    if (groups.length === 0) throw new TaskError("parse", `${directory}/backlog.md has no tasks. ${FORMAT}`);
    return { groups };
  }
  const wanted = (args["status_filter"] ?? "")
    .split(",")
    .map((word) => plain(word.trim()))
    .filter((word) => word !== "");
  const groups: TaskGroup[] = [];
  for (const row of tableRows(backlog)) {
    const id = cell(row, "id") ?? "";
    const status = cell(row, "status") ?? "";
    if (id === "" || (wanted.length > 0 && !wanted.includes(plain(status)))) continue;
    const folder = join(directory, id);
    if (isLink(folder) && !(await answering.has(folder))) throw doesNotAnswer(folder);
    groups.push({
      id: `PBI-${id}`,
      title: (await titleOf(folder, answering)) ?? cell(row, "user story", "title", "name") ?? "",
      status,
      tasks: await tasksIn(folder, answering),
    });
  }
  const current =
    groups.find(({ status = "" }) => plain(status) === "inprogress") ??
    groups.find(({ status = "" }) => plain(status) === "agreed");
  if (current === undefined) return { groups };
  current.is_current = true;
  return { current_pbi_id: current.id, current_pbi_title: current.title, groups };
}

function hasItems(backlog: string): boolean {
  return backlog.split("\n").some((line) => cellsOf(line)?.some((name) => name.toLowerCase() === "id"));
}

/** `- [x] done`, grouped by the heading above. */
function listedTasks(backlog: string): TaskGroup[] {
  const groups: TaskGroup[] = [];
  let title = "";
  let number = 0;
  for (const line of backlog.split(/\r?\n/)) {
    const [, heading] = /^#+\s+(.*)$/.exec(line) ?? [];
    if (heading !== undefined) title = plainText(heading);
    const [, mark, text] = /^\s*[-*+] \[([ xX])\]\s+(.*)$/.exec(line) ?? [];
    if (text === undefined) continue;
    if (groups.at(-1)?.title !== title) groups.push({ id: "", title, tasks: [] });
    const status = mark === " " ? "Open" : "Done";
    groups.at(-1)!.tasks.push({ id: String(++number), title: plainText(text), status });
  }
  return groups;
}

async function titleOf(folder: string, answering: AnsweringDirectories): Promise<string | undefined> {
  const first = (await read(join(folder, "prd.md"), answering))?.split("\n").find((line) => line.trim() !== "");
  const title = first
    ?.replace(/^#+\s*/, "")
    .replace(/^PBI-\S+:\s*/, "")
    .trim();
  return title === "" ? undefined : title;
}

async function tasksIn(folder: string, answering: AnsweringDirectories): Promise<TaskGroup["tasks"]> {
  return tableRows((await read(join(folder, "tasks.md"), answering)) ?? "").flatMap((row) => {
    const id = cell(row, "task id", "id");
    return id === undefined ? [] : [{ id, title: cell(row, "name", "title") ?? "", status: cell(row, "status") ?? "" }];
  });
}

type Row = ReadonlyMap<string, string>;

function cell(row: Row, ...names: string[]): string | undefined {
  return names.map((name) => row.get(name)).find((value) => value !== undefined && value !== "");
}

/** Rows of every table, keyed by lower-case column name. */
function tableRows(text: string): Row[] {
  const rows: Row[] = [];
  let columns: string[] | undefined;
  let previous: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const cells = cellsOf(line);
    if (cells === undefined) columns = undefined;
    else if (cells.every((value) => /^:?-+:?$/.test(value))) columns = previous?.map((name) => name.toLowerCase());
    else if (columns !== undefined)
      rows.push(new Map(columns.map((name, index) => [name, plainText(cells[index] ?? "")])));
    previous = cells;
  }
  return rows;
}

function cellsOf(line: string): string[] | undefined {
  const trimmed = line.trim();
  if (!trimmed.startsWith("|")) return undefined;
  // A backslash escapes a bar inside a cell.
  return trimmed
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((value) => value.trim().replaceAll("\\|", "|"));
}

/** Removes links, emphasis and code marks. */
function plainText(value: string): string {
  return value
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]/g, "")
    .trim();
}

/** Its directory answers, but it can be a link to a disk that does not. */
async function read(path: string, answering: AnsweringDirectories): Promise<string | undefined> {
  if (isLink(path) && !(await answering.has(path))) throw doesNotAnswer(path);
  try {
    return readText(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw new TaskError("exec", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false; // The read says why.
  }
}

function doesNotAnswer(path: string): TaskError {
  return new TaskError("timeout", `${path} does not answer, or links to a place that does not.`);
}

/** Tasks from GitHub issues by milestone, through `gh`. */
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { GIT_MB, lookingEnv } from "../untrusted-git.ts";
import { taskErrorOf } from "./run-provider.ts";
import type { Task, TaskGroup, TaskList } from "./task-list.ts";
import { TaskError } from "./task-error.ts";

const TIMEOUT_MS = 30_000;
const DEFAULT_LIMIT = 100;
const FIELDS = "number,title,state,assignees,labels,milestone,url,createdAt,updatedAt";

/** Without a host: a project could name its own, and `gh` might send it a token. */
const REPOSITORY = /^\w[\w.-]*\/[\w.-]+$/;

/** `repo`: owner/name, by default the directory's own. `limit`: number of issues. */
export async function githubIssues(
  projectDirectory: string,
  args: Readonly<Record<string, string>>,
): Promise<TaskList> {
  const limit = Math.trunc(Number(args["limit"] ?? DEFAULT_LIMIT)) || DEFAULT_LIMIT;
  const options = ["issue", "list", "--state", "all", "--limit", String(limit), "--json", FIELDS];
  const { repo } = args;
  if (repo !== undefined && !REPOSITORY.test(repo)) throw new TaskError("parse", "repo is not owner/name.");
  const repository = repo === undefined ? [] : ["--repo", repo];
  return listFrom(await issues([...options, ...repository], projectDirectory));
}

async function issues(args: readonly string[], cwd: string): Promise<Json[]> {
  let stdout: string;
  try {
    stdout = await askProgram("gh", { args, cwd, env: lookingEnv(), timeoutMs: TIMEOUT_MS, maxMemoryMb: GIT_MB });
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    if (error.kind === "missing") throw new TaskError("not_found", "GitHub's gh is not installed.", { cause: error });
    throw taskErrorOf(error);
  }
  try {
    return asObjects(JSON.parse(stdout));
  } catch (error) {
    throw new TaskError("parse", "gh did not print JSON.", { cause: error });
  }
}

const REST = "Ungrouped";

function listFrom(found: readonly Json[]): TaskList {
  const groups = new Map<string, TaskGroup>();
  for (const issue of found) {
    const milestone = asObject(issue["milestone"]);
    const title = asText(milestone?.["title"]) ?? REST;
    const number = asNumber(milestone?.["number"]);
    const id = number === undefined ? title : String(number);
    const group = groups.get(id) ?? { id, title, ...optional("url", asText(milestone?.["url"])), tasks: [] };
    group.tasks.push(taskFrom(issue));
    groups.set(id, group);
  }
  // Issues without a milestone come last.
  return { groups: [...groups.values()].sort((a, b) => Number(a.id === REST) - Number(b.id === REST)) };
}

function taskFrom(issue: Json): Task {
  const names = (value: unknown, field: string): string[] =>
    asObjects(asArray(value)).flatMap((item) => asText(item[field]) ?? []);
  return {
    id: String(issue["number"] ?? ""),
    title: asText(issue["title"]) ?? "",
    status: (asText(issue["state"]) ?? "").toLowerCase(),
    ...optional("assignee", names(issue["assignees"], "login")[0]),
    labels: names(issue["labels"], "name"),
    ...optional("url", asText(issue["url"])),
    ...optional("created", asText(issue["createdAt"])),
    ...optional("updated", asText(issue["updatedAt"])),
  };
}

/** A task provider's answer: groups of tasks, one of which may be current. */
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";

/** Field names are those of the published format. */
export interface TaskList {
  current_pbi_id?: string;
  current_pbi_title?: string;
  groups: TaskGroup[];
}

export interface TaskGroup {
  id: string;
  title: string;
  status?: string;
  url?: string;
  is_current?: boolean;
  tasks: Task[];
}

export interface Task {
  id: string;
  title: string;
  status: string;
  assignee?: string;
  labels?: string[];
  priority?: number;
  url?: string;
  created?: string;
  updated?: string;
}

/** `{groups: […]}`, or `{tasks: […]}` for a list without groups. Undefined if it is neither. */
export function readTaskList(value: unknown): TaskList | undefined {
  const fields = asObject(value);
  const groups = asArray(fields?.["groups"]);
  const tasks = asArray(fields?.["tasks"]);
  if (fields === undefined || (groups === undefined && tasks === undefined)) return undefined;
  return {
    ...optional("current_pbi_id", text(fields["current_pbi_id"])),
    ...optional("current_pbi_title", asText(fields["current_pbi_title"])),
    groups:
      groups === undefined
        ? [{ id: "", title: "", tasks: asObjects(tasks).map(readTask) }]
        : asObjects(groups).map(readGroup),
  };
}

function readGroup(group: Json): TaskGroup {
  return {
    id: text(group["id"]) ?? "",
    title: asText(group["title"]) ?? "",
    ...optional("status", asText(group["status"])),
    ...optional("url", asText(group["url"])),
    ...(typeof group["is_current"] === "boolean" ? { is_current: group["is_current"] } : {}),
    tasks: asObjects(group["tasks"]).map(readTask),
  };
}

function readTask(task: Json): Task {
  const labels = asArray(task["labels"])?.flatMap((label) => asText(label) ?? []);
  return {
    id: text(task["id"]) ?? "",
    title: asText(task["title"]) ?? "",
    status: asText(task["status"]) ?? "",
    ...optional("assignee", asText(task["assignee"])),
    ...optional("labels", labels),
    ...optional("priority", asNumber(task["priority"])),
    ...optional("url", asText(task["url"])),
    ...optional("created", asText(task["created"])),
    ...optional("updated", asText(task["updated"])),
  };
}

/** Some trackers number their items. */
function text(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : asText(value);
}

export type TaskCategory = "done" | "active" | "todo" | "blocked" | "review" | "other";

const CATEGORIES: Readonly<Record<string, TaskCategory>> = {
  done: "done",
  closed: "done",
  completed: "done",
  active: "active",
  inprogress: "active",
  working: "active",
  todo: "todo",
  open: "todo",
  proposed: "todo",
  agreed: "todo",
  blocked: "blocked",
  review: "review",
  inreview: "review",
};

/** `statusMap` maps a tracker's words to known ones: `{"In Arbeit": "active"}`. */
export function categoryOf(status: string, statusMap: Readonly<Record<string, string>> = {}): TaskCategory {
  return CATEGORIES[plain(statusMap[status] ?? status)] ?? "other";
}

/** `In_Progress`, `in-progress` and `InProgress` are the same. */
export function plain(status: string): string {
  return status.toLowerCase().replace(/[_\-\s]/g, "");
}

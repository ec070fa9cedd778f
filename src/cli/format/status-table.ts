/** Sessions and their states, as a table. */
import { isUrgent } from "../../core/state.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { Output, Style } from "../output.ts";
import { agentLabel } from "./agent-label.ts";
import { age } from "./figures.ts";
import { tildePath } from "./tilde-path.ts";
import { table, type Column } from "./table.ts";

const STYLES: Readonly<Record<string, Style>> = {
  permission: "yellow",
  waiting: "yellow",
  working: "cyan",
  error: "red",
  done: "green",
};

export function statusTable(sessions: readonly SessionView[], output: Output): string[] {
  const columns: Column<SessionView>[] = [
    {
      title: "STATE",
      value: ({ top }) => top.status || "unknown",
      style: (text, { top }) =>
        STYLES[top.status] === undefined ? output.style("dim", text) : output.style(STYLES[top.status]!, text),
    },
    { title: "FOR", value: ({ top }) => age(new Date(top.since)), align: "right" },
    { title: "SESSION", value: sessionText, min: 8 },
    { title: "AGENT", value: ({ top }) => agentLabel(top.agent) || "–", dispensable: 2 },
    { title: "WHAT", value: whatText, min: 16 },
    { title: "BRANCH", value: branchText, min: 6, dispensable: 1 },
    { title: "DIRECTORY", value: ({ cwd }) => tildePath(cwd), min: 12, dispensable: 3 },
  ];
  return table(sessions, columns, output.width, (text) => output.style("bold", text));
}

function sessionText({ ref, name, place }: SessionView): string {
  return place === "amux" ? `${ref} ${name}` : name;
}

function whatText({ top, team }: SessionView): string {
  const asking = team.filter((member) => isUrgent(member.status)).map((member) => `${member.name} asks`);
  return [top.label, top.message, ...asking].filter((part) => part !== undefined && part !== "").join(" · ");
}

function branchText({ git }: SessionView): string {
  if (git?.branch === undefined) return "";
  const marks = [
    git.dirty ? "●" : "",
    git.ahead ? `+${git.ahead}` : "",
    git.behind ? `-${git.behind}` : "",
    git.pr_num ? `#${git.pr_num}` : "",
  ];
  return [git.branch, ...marks.filter((mark) => mark !== "")].join(" ");
}

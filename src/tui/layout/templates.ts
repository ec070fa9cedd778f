/** Reusable layouts with the directory and command of each pane, in `templates/<name>.json`. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { entriesOf } from "../../lib/fs/directory.ts";
import { asArray, asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { workspaceFrom } from "./layout-file.ts";
import { renamed } from "./split-tree.ts";
import { allPanes, type Workspace } from "./workspace.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export interface TemplatePane {
  cwd: string;
  /** Defaults to the user's shell. */
  command?: string[];
}

export interface Template {
  name: string;
  /** Its panes are numbered as `sess-00000000/<number>`. */
  workspace: Workspace;
  panes: TemplatePane[];
}

const NAME = /^[\w][\w .-]{0,63}$/;
const STAND_IN = "sess-00000000";

export function listTemplates(home: string): Template[] {
  return entriesOf(join(home, "templates"))
    .filter(({ name }) => name.endsWith(".json"))
    .flatMap(({ name }) => readTemplate(home, name.slice(0, -".json".length)) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name));
}

export function readTemplate(home: string, name: string): Template | undefined {
  try {
    const fields = asObject(JSON.parse(readText(pathOf(home, name))));
    if (fields === undefined) return undefined;
    const panes = (asArray(fields["panes"]) ?? []).map((pane): TemplatePane => {
      const { cwd, command } = asObject(pane) ?? {};
      const words = asArray(command)?.flatMap((word) => asText(word) ?? []);
      return { cwd: asText(cwd) ?? ".", ...optional("command", words?.length === 0 ? undefined : words) };
    });
    return { name, workspace: workspaceFrom(fields["workspace"]), panes };
  } catch {
    return undefined; // Missing or invalid.
  }
}

export function saveTemplate(
  home: string,
  name: string,
  workspace: Workspace,
  paneOf: (pane: string) => TemplatePane,
): void {
  const ids = allPanes(workspace);
  const numbers = Object.fromEntries(ids.map((id, at) => [id, `${STAND_IN}/${at}`]));
  const template = { workspace: renamedPanes(workspace, numbers), panes: ids.map(paneOf) };
  makeDirectory(join(home, "templates"));
  writeFileAtomic(pathOf(home, name), `${JSON.stringify(template, undefined, 2)}\n`);
}

export function removeTemplate(home: string, name: string): void {
  rmSync(pathOf(home, name), { force: true });
}

/** Replaces the template's pane numbers by real panes. The caller omits those that could not be created. */
export function filled({ workspace }: Template, paneFor: readonly string[]): Workspace {
  const names = Object.fromEntries(paneFor.map((pane, at) => [`${STAND_IN}/${at}`, pane]));
  return renamedPanes(workspace, names);
}

function renamedPanes(workspace: Workspace, names: Readonly<Record<string, string>>): Workspace {
  const { main, focus } = workspace;
  return {
    ...workspace,
    ...(main === undefined ? {} : { main: renamed(main, names) }),
    stack: workspace.stack.map((node) => renamed(node, names)),
    ...(focus === undefined ? {} : { focus: names[focus] ?? focus }),
    zoomed: false,
  };
}

function pathOf(home: string, name: string): string {
  if (!NAME.test(name)) {
    throw new AgentMuxError("VALIDATION_ERROR", "A template's name has letters, digits, spaces, dots and dashes.");
  }
  return join(home, "templates", `${name}.json`);
}

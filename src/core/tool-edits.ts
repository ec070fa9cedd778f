/** What a tool call changes in a file, where its input tells. Agents name the fields differently and mean the same. */

export type Edit =
  | { kind: "replace"; path: string; before: string; after: string }
  | { kind: "write"; path: string; after: string }
  | { kind: "patch"; path: string; patch: string };

const PATH = ["file_path", "filePath", "path", "filename", "file", "target_file"];
const BEFORE = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const AFTER = ["new_string", "newString", "new_str", "newText", "new_text"];
const PATCH = ["patch", "diff", "input", "patchText", "patch_text"];
const CONTENT = ["content", "contents", "file_text", "text"];

export function editsOf(input: unknown): Edit[] {
  if (typeof input === "string") return isPatch(input) ? [{ kind: "patch", path: "", patch: input }] : [];
  if (typeof input !== "object" || input === null) return [];
  const fields = input as Record<string, unknown>;
  const path = textIn(fields, PATH) ?? "";
  const patch = textIn(fields, PATCH);
  if (patch !== undefined && isPatch(patch)) return [{ kind: "patch", path, patch }];
  const list = fields["edits"];
  if (Array.isArray(list)) {
    // An edit has no edits of its own: a file could nest them without end.
    return list.flatMap((edit: unknown) =>
      editsOf({ path, ...(typeof edit === "object" ? edit : {}), edits: undefined }),
    );
  }
  const [before, after] = [textIn(fields, BEFORE), textIn(fields, AFTER)];
  if (before !== undefined && after !== undefined) return [{ kind: "replace", path, before, after }];
  const content = textIn(fields, CONTENT);
  if (content !== undefined && path !== "") return [{ kind: "write", path, after: content }];
  return [];
}

function isPatch(text: string): boolean {
  return text.startsWith("*** Begin Patch") || /^(?:diff --git |--- |Index: )/.test(text);
}

function textIn(fields: Record<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** One line that says what a call does. */
export function callSummary(input: unknown): string {
  if (typeof input === "string") return firstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Record<string, unknown>;
  const preferred = ["command", "cmd", "description", ...PATH, "pattern", "query", "url", "prompt"];
  for (const name of preferred) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return firstLine(value);
    if (Array.isArray(value)) return firstLine(value.join(" "));
  }
  const [first] = Object.values(fields).filter((value) => typeof value === "string" && value !== "");
  return typeof first === "string" ? firstLine(first) : "";
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!.slice(0, 200);
}

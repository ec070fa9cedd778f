/** The text that an editing tool call took away and put in, by file, from its recorded input. */
import { editsOf, type Edit } from "../../core/tool-edits.ts";
import { commonPositions } from "../../lib/values/lcs.ts";

export interface EditText {
  /** As the tool was given it. */
  path: string;
  /** The whole file was written: what was there before is unknown. */
  isWhole: boolean;
  /** The tool says that the file is new. */
  isCreation: boolean;
  /** A whole file that the session had not read: any of its lines may be new, or none. */
  isUnsure?: true;
  oldLines: string[];
  newLines: string[];
  /** By line: not in the other text at that place. */
  isRemoved: boolean[];
  isAdded: boolean[];
  /** Of a replacement: its exact texts, which may begin and end within a line. */
  replaced?: { before: string; after: string };
}

/** Tools of MCP servers may write anywhere, also on other machines. */
const FOREIGN_TOOL = /^mcp__|\bmcp[_.:-]/i;
const EDITING_TOOL = /write|edit|replace|patch|create/i;
/** Scripts that call the patch tool with a literal. */
const LITERAL_PATCH = /apply_patch\(\s*("(?:[^"\\\n]|\\.)*")\s*\)/g;
const MAX_COMPARED_LINES = 20_000;

/** Shell commands have no texts here, whatever they did. */
export function editTexts(toolName: string, input: unknown): EditText[] {
  if (FOREIGN_TOOL.test(toolName)) return [];
  if (EDITING_TOOL.test(toolName)) return editsOf(input).flatMap(textsOf);
  return typeof input === "string" ? literalPatches(input) : [];
}

function literalPatches(script: string): EditText[] {
  return [...script.matchAll(LITERAL_PATCH)].flatMap(([, literal]) => {
    let patch: unknown;
    try {
      patch = JSON.parse(literal!);
    } catch {
      return []; // A literal of JavaScript that is not one of JSON.
    }
    return editsOf(patch).flatMap(textsOf);
  });
}

function textsOf(edit: Edit): EditText[] {
  if (edit.kind === "patch") return patchTexts(edit.patch, edit.path);
  if (edit.kind === "write") return [whole(edit.path, linesOf(edit.after), false)];
  const [oldLines, newLines] = [linesOf(edit.before), linesOf(edit.after)];
  const [isRemoved, isAdded] = [oldLines.map(() => true), newLines.map(() => true)];
  const replaced = { before: edit.before, after: edit.after };
  const lines = { oldLines, newLines, isRemoved, isAdded };
  const text: EditText = { path: edit.path, isWhole: false, isCreation: false, ...lines, replaced };
  clearEqual(text);
  return [text];
}

/** A line that is in both texts stays where it was. Models also take a line out of a patch and put it in again. */
function clearEqual({ oldLines, newLines, isRemoved, isAdded }: EditText): void {
  if (oldLines.length + newLines.length > MAX_COMPARED_LINES) {
    isRemoved.fill(false);
    isAdded.fill(false);
  } else for (const [a, b] of commonPositions(oldLines, newLines)) isRemoved[a] = isAdded[b] = false;
}

function whole(path: string, newLines: string[], isCreation: boolean): EditText {
  return { path, isWhole: true, isCreation, oldLines: [], newLines, isRemoved: [], isAdded: newLines.map(() => true) };
}

/** Agents write the line ends of Windows as those of others, or the other way round. */
export function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Without the line feed at the end. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map(withoutReturn);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const FILE_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVED_LINE = /^\*\*\* Move to: (.+)$/;
const DIFF_FILE_LINE = /^\+\+\+ (?:b\/)?([^\t]+)/;

/** Each part of a patch is a text of its own: the parts are far apart. */
export function patchTexts(patch: string, path: string): EditText[] {
  const texts: EditText[] = [];
  let name = path;
  let isCreation = false;
  let part: EditText | undefined;
  const begin = (): EditText => {
    part = { path: name, isWhole: false, isCreation, oldLines: [], newLines: [], isRemoved: [], isAdded: [] };
    texts.push(part);
    return part;
  };
  for (const line of linesOf(patch)) {
    const file = FILE_LINE.exec(line);
    const named = file?.[2] ?? MOVED_LINE.exec(line)?.[1] ?? (part ? undefined : DIFF_FILE_LINE.exec(line)?.[1]);
    if (named !== undefined) {
      name = named.trim();
      isCreation = file?.[1] === "Add";
      part = undefined;
    } else if (line.startsWith("@@") || line.startsWith("diff --git ") || line.startsWith("*** ")) {
      part = undefined;
    } else if (line.startsWith("--- ") && part === undefined) {
      isCreation = line.startsWith("--- /dev/null");
    } else if (line.startsWith("+")) {
      const { newLines, isAdded } = part ?? begin();
      newLines.push(line.slice(1));
      isAdded.push(true);
    } else if (line.startsWith("-")) {
      const { oldLines, isRemoved } = part ?? begin();
      oldLines.push(line.slice(1));
      isRemoved.push(true);
    } else if (line.startsWith(" ") || line === "") {
      const { oldLines, newLines, isRemoved, isAdded } = part ?? begin();
      oldLines.push(line.slice(1));
      newLines.push(line.slice(1));
      isRemoved.push(false);
      isAdded.push(false);
    }
  }
  for (const text of texts) {
    text.isWhole = text.isCreation;
    clearEqual(text);
  }
  return texts;
}

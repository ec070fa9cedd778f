/** The fields of VS Code's chats, and of the log that they are kept in. Only this file names them. */
import { asArray, asNumber, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { pathOfUri } from "../shared/file-uri.ts";

export type Change =
  | { kind: "whole"; value: unknown }
  | { kind: "set" | "append"; path: (string | number)[]; value: unknown; from?: number | undefined };

const [WHOLE, SET, APPEND, REMOVE] = [0, 1, 2, 3];

/** A line of the log; undefined if it is none. */
export function changeOf(record: Json): Change | undefined {
  const { kind, v: value } = record;
  if (kind === WHOLE) return { kind: "whole", value };
  const path = asArray(record["k"]);
  if (path === undefined || !path.every((step) => typeof step === "string" || typeof step === "number")) {
    return undefined;
  }
  if (kind === APPEND) return { kind: "append", path, value, from: asNumber(record["i"]) };
  if (kind === SET) return { kind: "set", path, value };
  return kind === REMOVE ? { kind: "set", path, value: undefined } : undefined;
}

export function chatOf(document: Json) {
  return {
    title: asText(document["customTitle"]),
    createdMs: asTime(document["creationDate"]),
    updatedMs: asTime(document["lastMessageDate"]),
    requests: asObjects(document["requests"]).map(requestOf),
  };
}

export type Request = ReturnType<typeof requestOf>;

/** A prompt and what was answered. */
function requestOf(request: Json) {
  const message = request["message"];
  const state = asObject(request["modelState"]);
  const result = asObject(request["result"]);
  return {
    at: asTime(request["timestamp"]),
    endMs: asTime(state?.["completedAt"]),
    prompt: asString(message) ?? asString(asObject(message)?.["text"]) ?? "",
    /** Taken back by the user; it goes with the next prompt. */
    isUndone: asObject(request["shouldBeRemovedOnSend"]) !== undefined || request["isHidden"] === true,
    isCancelled: state?.["value"] === CANCELLED || request["isCanceled"] === true,
    error: asText(asObject(result?.["errorDetails"])?.["message"]),
    model: asText(request["modelId"])?.replace(/^copilot\//, ""),
    parts: asObjects(request["response"]).map((part, index) =>
      partOf(part, `${asText(request["requestId"])}/${index}`),
    ),
  };
}

const CANCELLED = 2;

export type Part =
  | { kind: "text" | "thinking"; text: string }
  | { kind: "call"; call: ReturnType<typeof callOf> }
  | { kind: "unknown"; name: string };

const WITH_CONTENT = new Set<unknown>(["markdownContent", "markdownVuln", "warning"]);

/** Parts that show the state of the window, or say again what another part says. */
const SILENT = new Set([
  ...["progressMessage", "progressTask", "progressTaskSerialized", "undoStop", "codeblockUri", "mcpServersStarting"],
  ...["command", "confirmation", "extensions", "treeData", "multiDiffData", "questionCarousel", "hook", "pullRequest"],
  ...["clearToPreviousToolInvocation", "workspaceEdit", "disabledClaudeHooks", "elicitationSerialized", "elicitation"],
  ...["autoModeResolution", "prepareToolInvocation"],
]);

/** `id` is for calls that have none. */
function partOf(part: Json, id: string): Part {
  const kind = part["kind"];
  // A text is a markdown string of its own, without a kind.
  if (kind === undefined) return { kind: "text", text: markdown(part) };
  if (WITH_CONTENT.has(kind)) return { kind: "text", text: markdown(part["content"]) };
  if (kind === "inlineReference") return { kind: "text", text: referenceIn(part) };
  if (kind === "thinking") return { kind: "thinking", text: thinkingIn(part["value"]) };
  if (kind === "toolInvocationSerialized") return { kind: "call", call: callOf(part, id) };
  if (kind === "textEditGroup" || kind === "notebookEditGroup") return { kind: "call", call: editOf(kind, part, id) };
  return typeof kind === "string" && SILENT.has(kind)
    ? { kind: "text", text: "" }
    : { kind: "unknown", name: String(kind) };
}

/** A string, or an object with one. */
function markdown(value: unknown): string {
  return asString(value) ?? asString(asObject(value)?.["value"]) ?? "";
}

function thinkingIn(value: unknown): string {
  return asString(value) ?? (asArray(value) ?? []).filter((line) => typeof line === "string").join("");
}

/** A file or symbol that the answer names in the middle of a sentence. */
function referenceIn(part: Json): string {
  const target = asObject(part["inlineReference"]) ?? {};
  const uri = asObject(target["uri"]) ?? asObject(asObject(target["location"])?.["uri"]) ?? target;
  return asText(part["name"]) ?? asText(target["name"]) ?? asText(uri["path"])?.split("/").at(-1) ?? "";
}

const DENIED = 0;

function callOf(part: Json, id: string) {
  const data = asObject(part["toolSpecificData"]) ?? {};
  const details = asObject(part["resultDetails"]);
  const terminal = asObject(data["terminalCommandState"]);
  const confirmed = part["isConfirmed"];
  const isDenied = confirmed === false || asObject(confirmed)?.["type"] === DENIED;
  const said = markdown(part["pastTenseMessage"]) || markdown(part["invocationMessage"]);
  return {
    id: asText(part["toolCallId"]) ?? id,
    name: asText(part["toolId"]) ?? "unknown",
    input: inputOf(data, details) ?? said,
    output: part["isComplete"] === false ? undefined : (outputOf(data, details) ?? (isDenied ? "Denied" : said)),
    hasFailed: isDenied || details?.["isError"] === true || (asNumber(terminal?.["exitCode"]) ?? 0) !== 0,
  };
}

function inputOf(data: Json, details: Json | undefined): unknown {
  const line = asObject(data["commandLine"]);
  const command = asText(line?.["userEdited"]) ?? asText(line?.["toolEdited"]) ?? asText(line?.["original"]);
  if (data["kind"] === "terminal") return { command: command ?? data["command"] };
  if (data["kind"] === "input") return data["rawInput"];
  if (data["kind"] === "subagent") return { description: data["description"], prompt: data["prompt"] };
  return details?.["input"] === undefined ? undefined : jsonOrText(details["input"]);
}

function outputOf(data: Json, details: Json | undefined): string | undefined {
  const shown = asText(asObject(data["terminalCommandOutput"])?.["text"]) ?? asText(data["result"]);
  if (shown !== undefined) return shown;
  const output = details?.["output"];
  if (asArray(output) === undefined) return asString(output);
  const texts = asObjects(output).map((item) => (item["isText"] === false ? undefined : asString(item["value"])));
  return texts.map((text) => text ?? "[data]").join("\n");
}

/** Changes to a file, which the chat shows without a tool. */
function editOf(name: string, part: Json, id: string) {
  const path = asText(asObject(part["uri"])?.["path"]);
  return { id, name, input: { path, edits: part["edits"] }, output: undefined, hasFailed: false };
}

/** The folder of a workspace, from the document beside its chats. */
export function folderIn(workspace: Json | undefined): string | undefined {
  return pathOfUri(asText(workspace?.["folder"]));
}

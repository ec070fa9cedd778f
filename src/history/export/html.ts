/** A session as one self-contained page: no script, no outside resource, everything escaped, findable with the browser's own search. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { SessionView } from "../session-view.ts";
import type { ExportOptions } from "./options.ts";
import { costText, factsOf, tokenFacts } from "./facts.ts";
import { limited } from "./limited.ts";

export function* exportHtml(view: SessionView, { limit }: ExportOptions): Generator<string> {
  const { summary } = view;
  const title = escape(summary.title === "" ? summary.unifiedId : summary.title);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${factsOf(summary).map(pair).join("")}</dl>
</header>
<main>
`;
  const shown = limited(view.messages(), limit);
  let index = 0;
  for (const message of shown.items) yield messageBlock(message, `m${index++}`);
  if (shown.cut()) yield `<p class="more">… ${summary.messageCount - limit!} more messages</p>\n`;
  for (const helper of shown.cut() ? [] : view.subagents()) {
    yield `<details class="helper"><summary>Sub-agent ${escape(helper.label ?? helper.id)} · ${helper.messages.length} messages</summary>\n`;
    for (const message of helper.messages) yield messageBlock(message);
    yield "</details>\n";
  }
  yield "</main>\n";
  const { cost } = summary;
  if (cost) {
    const rows: [string, string][] = [["Cost", costText(cost)], ...tokenFacts(cost)];
    if (cost.subagents) rows.push(["Sub-agents' part", costText(cost.subagents)]);
    yield `<footer><h2>Cost</h2><dl>${rows.map(pair).join("")}</dl></footer>\n`;
  }
  yield "</body>\n</html>\n";
}

function pair([label, value]: [string, string]): string {
  return `<dt>${escape(label)}</dt><dd>${escape(value)}</dd>`;
}

function messageBlock(message: SessionMessage, id?: string): string {
  const notes = [
    message.toolResult?.toolName,
    message.toolResult?.isError ? "failed" : undefined,
    message.model,
    message.inherited ? "inherited" : undefined,
    message.timestamp?.toISOString(),
    message.cost && message.cost.totalUsd > 0 ? costText(message.cost) : undefined,
  ].filter((note) => note !== undefined && note !== "");
  const head = `<h3>${message.role}${notes.length > 0 ? ` <small>${escape(notes.join(" · "))}</small>` : ""}</h3>`;
  const thinking = message.thinking
    ? `<details><summary>Thinking</summary><pre>${escape(message.thinking)}</pre></details>`
    : "";
  const calls = (message.toolCalls ?? []).map(callBlock).join("");
  return `<article class="${message.role}"${id === undefined ? "" : ` id="${id}"`}>${head}${thinking}${body(message)}${calls}</article>\n`;
}

/** Longer tool results start folded, so that the conversation can be followed. */
const FOLD_CHARACTERS = 600;

function body(message: SessionMessage): string {
  if (message.content === "") return "";
  const text = `<pre>${escape(message.content)}</pre>`;
  if (message.role !== "tool" || message.content.length <= FOLD_CHARACTERS) return text;
  return `<details><summary>${message.content.length.toLocaleString("en-US")} characters</summary>${text}</details>`;
}

function callBlock(call: SessionToolCall): string {
  const input = typeof call.input === "string" ? call.input : jsonText(call.input, 2);
  const duration = call.durationMs === undefined ? "" : ` · ${(call.durationMs / 1000).toFixed(1)} s`;
  return `<details class="call"><summary>${escape(call.toolName)}${duration}</summary><pre>${escape(input)}</pre></details>`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return withoutControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--user:#2a6fdb;--assistant:#2e8b57;--tool:#8a6d3b;--system:#a33}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h3{font-size:.85rem;text-transform:capitalize;margin:0 0 .3rem}small{font-weight:400;opacity:.7;text-transform:none}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.85rem}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
article{border-left:3px solid var(--line);padding:.2rem 0 .2rem .8rem;margin:1rem 0}
article.user{border-color:var(--user)}article.assistant{border-color:var(--assistant)}article.tool{border-color:var(--tool)}article.system{border-color:var(--system)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0;font:13px/1.45 ui-monospace,monospace}
article.user>pre,article.assistant>pre{font:inherit}
summary{cursor:pointer;opacity:.8;font-size:.85rem}.helper{border:1px solid var(--line);padding:.4rem .8rem;border-radius:.4rem}
@media print{details{display:block}}
`.trim();

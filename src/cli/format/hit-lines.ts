/** Formats a search hit and its snippets. */
import { oneLine, printableJson } from "../../lib/text/text.ts";
import type { SearchMatch, SessionHit } from "../../history/search/results.ts";
import type { Output } from "../output.ts";
import { agentLabel } from "./agent-label.ts";
import { age, count } from "./figures.ts";
import { marked } from "./marked.ts";

/** Lines for people, or one line of JSON. `where` is its machine, for queries over several. */
export function hitLines(hit: SessionHit, output: Output, where?: string): string {
  if (output.json) return `${printableJson(JSON.stringify(hit))}\n`;
  const copies = hit.copies === 0 ? "" : `  +${count(hit.copies)} ${hit.copies === 1 ? "copy" : "copies"}`;
  const place = where === undefined ? "" : `  ${where}`;
  const label = agentLabel(hit.agent);
  const agent = label === hit.agent ? "" : `  ${label}`;
  const facts = hit.memory ? `${place}${agent}` : `${place}${agent}  ${age(hit.updatedAt)}${copies}`;
  const title = marked(hit.title, hit.titleMarks, yellowIn(output));
  const id = output.style("cyan", oneLine(hit.unifiedId));
  const head = `${id}  ${output.style("bold", title)}${output.style("dim", facts)}`;
  return [head, ...hit.matches.map((match) => matchLine(match, output)), "", ""].join("\n");
}

function matchLine({ messageIndex, role, subagent, tool, part, snippet, marks }: SearchMatch, output: Output): string {
  const whose = subagent === undefined ? "" : ` in ${oneLine(subagent)}`;
  const what = tool === undefined ? (part === "thinking" ? " (thinking)" : "") : ` (${oneLine(tool)})`;
  const place = output.style("dim", `#${messageIndex} ${oneLine(role)}${what}${whose}`);
  return `    ${place}  ${marked(snippet, marks, yellowIn(output))}`;
}

function yellowIn(output: Output): ((text: string) => string) | undefined {
  return output.isStyled ? (text) => output.style("yellow", text) : undefined;
}

/**
 * Renders the Markdown subset that agents use as elements, never as HTML. Links open web addresses in a tab without an
 * opener; remote images become links.
 */
import type { ComponentChildren, JSX } from "preact";
import { CodeBlock } from "./code-block.tsx";

export function Markdown({ text }: { text: string }): JSX.Element {
  return <div class="markdown">{blocksOf(text).map((block, index) => renderBlock(block, index))}</div>;
}

type Block =
  | { kind: "code"; language: string; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "list"; ordered: boolean; items: string[] }
  | { kind: "quote"; text: string }
  | { kind: "table"; rows: string[][] }
  | { kind: "rule" }
  | { kind: "paragraph"; text: string };

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s{0,6}(?:[-*+]|(\d{1,3})[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)+\|?\s*$/;

function blocksOf(text: string): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const end = lines.findIndex((other, index) => index > at && other.trim().startsWith(fence[1]!));
      const until = end < 0 ? lines.length : end;
      blocks.push({ kind: "code", language: fence[2]!, text: lines.slice(at + 1, until).join("\n") });
      at = until + 1;
      continue;
    }
    const heading = HEADING.exec(line);
    if (heading !== null) blocks.push({ kind: "heading", level: heading[1]!.length, text: heading[2]! });
    else if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) blocks.push({ kind: "rule" });
    else if (line.trim() !== "") {
      const [block, next] = longerBlock(lines, at);
      blocks.push(block);
      at = next;
      continue;
    }
    at++;
  }
  return blocks;
}

/** A block that begins at line `at`, and where the next one begins. */
function longerBlock(lines: readonly string[], at: number): [Block, number] {
  const until = (test: (line: string) => boolean): number => {
    let end = at;
    while (end < lines.length && test(lines[end]!)) end++;
    return end;
  };
  const first = ITEM.exec(lines[at]!);
  if (first !== null) {
    const end = until((line) => ITEM.test(line) || /^\s{2,}\S/.test(line));
    const items: string[] = [];
    for (const line of lines.slice(at, end)) {
      const item = ITEM.exec(line);
      if (item !== null) items.push(item[2]!);
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    return [{ kind: "list", ordered: first[1] !== undefined, items }, end];
  }
  if (lines[at]!.startsWith(">")) {
    const end = until((line) => line.startsWith(">"));
    const text = lines.slice(at, end).map((line) => line.replace(/^>\s?/, ""));
    return [{ kind: "quote", text: text.join("\n") }, end];
  }
  if (lines[at]!.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "")) {
    const end = until((line) => line.includes("|"));
    const rows = lines.slice(at, end).filter((line) => !TABLE_RULE.test(line));
    return [{ kind: "table", rows: rows.map((row) => row.replace(/^\s*\||\|\s*$/g, "").split("|")) }, end];
  }
  const end = Math.max(
    at + 1,
    until((line) => line.trim() !== "" && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line)),
  );
  return [{ kind: "paragraph", text: lines.slice(at, end).join("\n") }, end];
}

function renderBlock(block: Block, key: number): JSX.Element {
  switch (block.kind) {
    case "code":
      return <CodeBlock key={key} text={block.text} language={block.language} />;
    case "heading": {
      const Tag = `h${Math.min(block.level + 2, 6)}` as "h3";
      return <Tag key={key}>{inline(block.text)}</Tag>;
    }
    case "list": {
      const Tag = block.ordered ? "ol" : "ul";
      return (
        <Tag key={key}>
          {block.items.map((item, index) => (
            <li key={index}>{inline(item)}</li>
          ))}
        </Tag>
      );
    }
    case "quote":
      return <blockquote key={key}>{inline(block.text)}</blockquote>;
    case "table":
      return <Table key={key} rows={block.rows} />;
    case "rule":
      return <hr key={key} />;
    default:
      return <p key={key}>{inline(block.text)}</p>;
  }
}

function Table({ rows: [head = [], ...rows] }: { rows: string[][] }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index}>{inline(cell.trim())}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{inline(cell.trim())}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|!?\[([^\]\n]*)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>"'`)\]]+)/gs;

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, strong, label, address, bare] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<Outside address={(address ?? bare)!}>{label || (address ?? bare)!}</Outside>);
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

function Outside({ address, children }: { address: string; children: ComponentChildren }): JSX.Element {
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
    </a>
  );
}

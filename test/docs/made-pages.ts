/** Generated pages of docs/: commands, routes, exports of the library. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandHelp, helpWidth } from "../../src/cli/command-help.ts";
import type { CommandEntry } from "../../src/cli/command.ts";

const MADE = "<!-- Made from the code. `npx vitest run test/docs -u` makes it again. -->";

export async function cliPage(commands: readonly CommandEntry[]): Promise<string> {
  const sections = await Promise.all(
    commands
      .filter(({ isPlumbing }) => isPlumbing !== true)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(async ({ name, shortName, load }) => {
        const help = commandHelp((await load()).default, helpWidth(Number.POSITIVE_INFINITY)).trimEnd();
        const also = shortName === undefined ? "" : `\nShort form: \`amux ${shortName}\`.\n`;
        return `## amux ${name}\n${also}\n\`\`\`text\n${help}\n\`\`\`\n`;
      }),
  );
  return `# Commands\n\n${MADE}\n\n${sections.join("\n")}`;
}

interface Operation {
  summary: string;
  parameters: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { content: Record<string, unknown> }>;
  "x-local-only"?: boolean;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

export function apiPage({ paths }: OpenApi): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => apiRow(method.toUpperCase(), path, operation)),
  );
  const intro = `The daemon listens on 127.0.0.1:8790 and on a Unix socket, \`amuxd.sock\` in AMUX_HOME. Over TCP every request
needs the token in \`auth-token\`: \`Authorization: Bearer <token>\`. Answers are \`{"ok": true, "data": …}\` or
\`{"ok": false, "error": {"code", "message"}}\` unless another type is named. \`GET /v1/openapi.json\` has every schema.`;
  const heading = "| request | what it does | parameters | body | answer |\n| --- | --- | --- | --- | --- |";
  return `# HTTP interface\n\n${MADE}\n\n${intro}\n\n${heading}\n${rows.join("\n")}\n`;
}

function apiRow(method: string, path: string, operation: Operation): string {
  const parameters = operation.parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required }) => (required === true ? `\`${name}\`` : `\`${name}?\``));
  const body = Object.keys(operation.requestBody?.content ?? {}).map((type) => `\`${type}\``);
  const answer = Object.keys(operation.responses["200"]?.content ?? {}).filter((type) => type !== "application/json");
  const local = operation["x-local-only"] === true ? " (Unix socket only)" : "";
  const cells = [
    `\`${method} ${path}\``,
    `${operation.summary}${local}`,
    parameters.join(" "),
    body.join(" "),
    answer.map((type) => `\`${type}\``).join(" "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Exports of the library with their comments, from the sources that `entry` names. */
export function libraryPage(entry: string): string {
  const source = readFileSync(entry, "utf8");
  const rows: string[] = [];
  const described = (name: string, file: string): void => {
    rows.push(`| \`${name}\` | ${describedKind(name, file)} | ${commentOf(name, file)} |`);
  };
  for (const [, name] of source.matchAll(/^export (?:async )?(?:function|interface|class|const) (\w+)/gm)) {
    described(name!, source);
  }
  for (const [, names, from] of source.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gms)) {
    const file = readFileSync(join(dirname(entry), from!), "utf8");
    for (const part of names!.split(",")) {
      const name = part.replace(/\btype\b/, "").trim();
      if (name !== "") described(name, file);
    }
  }
  const sorted = rows.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return `# Library\n\n${MADE}\n\n\`import { … } from "amux"\`. The declarations in \`dist/types\` have every field and its comment.\n\n| export | kind | |\n| --- | --- | --- |\n${sorted.join("\n")}\n`;
}

function describedKind(name: string, source: string): string {
  return (
    new RegExp(`export (?:async )?(?:abstract )?(function|interface|class|const|type) ${name}\\b`).exec(source)?.[1] ??
    "type"
  );
}

/** The first sentence of the comment above a declaration. */
function commentOf(name: string, source: string): string {
  const found = new RegExp(
    `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:async |abstract )*(?:function|interface|class|const|type) ${name}\\b`,
  ).exec(source);
  const text = (found?.[1] ?? "")
    .replace(/^\s*\*/gm, "")
    .replace(/\s+/g, " ")
    .trim();
  return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replaceAll("|", "\\|");
}

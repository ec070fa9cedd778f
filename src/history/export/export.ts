/** Exports a session as text, in pieces, so that size does not matter. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionView } from "../session-view.ts";
import { exportHtml } from "./html.ts";
import { exportJson, exportJsonl } from "./json.ts";
import { exportMarkdown } from "./markdown.ts";
import type { ExportOptions } from "./options.ts";

export const EXPORT_FORMATS = ["json", "jsonl", "markdown", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function exportSession(view: SessionView, format: ExportFormat, options: ExportOptions = {}): Iterable<string> {
  switch (format) {
    case "json":
      return exportJson(view, options);
    case "jsonl":
      return exportJsonl(view, options);
    case "markdown":
      return exportMarkdown(view, options);
    case "html":
      return exportHtml(view, options);
    default:
      throw new AgentMuxError(
        "VALIDATION_ERROR",
        `A session is exported as ${EXPORT_FORMATS.join(", ")}, not as "${String(format)}".`,
      );
  }
}

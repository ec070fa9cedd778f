/** Cursor's user messages: the typed text is inside `<user_query>`, the rest is context. */
import { optional } from "../../lib/values/optional.ts";

export interface Prompt {
  /** Empty if the message is only context. */
  text: string;
  at?: number;
}

const QUERY = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/g;
const CONTEXT =
  /<(user_info|timestamp|git_status|project_layout|rules|always_applied_workspace_rules|agent_requestable_workspace_rules|agent_skills|available_skills|agent_transcripts|open_and_recently_viewed_files|attached_files|additional_data|environment_context|mcp_instructions|mcp_file_system|system_reminder|system-reminder|image_files)>[\s\S]*?<\/\1>/g;

export function promptOf(text: string): Prompt {
  const queries = [...text.matchAll(QUERY)].map((match) => match[1]!.trim());
  const said = queries.length > 0 ? queries.join("\n\n") : text.replace(CONTEXT, "").trim();
  return { text: said, ...optional("at", timestampIn(text)) };
}

const TIMESTAMP =
  /<timestamp>\s*(?:\w+, )?(\w{3})\w* (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2}) (AM|PM) \(UTC([+-]\d{1,2})?(?::(\d{2}))?\)\s*<\/timestamp>/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Wednesday, Sep 2, 2026, 9:15 AM (UTC+0)`: precise to the minute. */
function timestampIn(text: string): number | undefined {
  const found = TIMESTAMP.exec(text);
  if (found === null) return undefined;
  const [, monthName, day, year, hour, minute, half, offsetHours = "+0", offsetMinutes = "0"] = found;
  const month = MONTHS.indexOf(monthName!);
  if (month === -1) return undefined;
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const sign = offsetHours.startsWith("-") ? -1 : 1;
  const offset = Number(offsetHours) * 60 + sign * Number(offsetMinutes);
  return Date.UTC(Number(year), month, Number(day), hours, Number(minute) - offset);
}

/** The start directory of a chat, if nothing else has it. */
export function workspacePathIn(text: string): string | undefined {
  return /<user_info>[\s\S]*?^Workspace Path: *(\S.*?)\s*$/m.exec(text)?.[1];
}

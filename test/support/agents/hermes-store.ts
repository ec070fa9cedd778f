/** Databases in the real format. */
import { join } from "node:path";
import type { AgentEnv } from "../../../src/agents/adapter.ts";
import { madeHome, makeDatabase } from "./made-home.ts";
import { readSession, type ReadSession } from "./reading.ts";
import { history } from "../../../src/agents/hermes/history.ts";

/** The columns a reader uses, as of schema 26. */
export const SCHEMA_26 = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL DEFAULT 'cli', session_key TEXT, model TEXT,
    model_config TEXT, parent_session_id TEXT, started_at REAL NOT NULL DEFAULT 1790000000, ended_at REAL,
    end_reason TEXT, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0,
    cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,
    estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT, title TEXT, last_activity_at REAL,
    archived INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL DEFAULT 1790000001,
    finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT,
    active INTEGER DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT);
  CREATE TABLE session_model_usage (session_id TEXT NOT NULL, model TEXT NOT NULL, billing_provider TEXT NOT NULL DEFAULT '',
    billing_base_url TEXT NOT NULL DEFAULT '', billing_mode TEXT NOT NULL DEFAULT '', task TEXT NOT NULL DEFAULT '',
    api_call_count INTEGER NOT NULL DEFAULT 1, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0, reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    estimated_cost_usd REAL NOT NULL DEFAULT 0, actual_cost_usd REAL NOT NULL DEFAULT 0, cost_status TEXT, last_seen REAL);
  CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
  CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages', content_rowid='id');
  CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
    VALUES (new.id, new.content, new.tool_name, new.tool_calls);
  END;
`;

/** The first schema, of February 2026. */
export const SCHEMA_1 = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,
    system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
    message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER);
`;

/** A home whose `state.db` has schema 26 and these rows. */
export function homeWith(...statements: string[]): AgentEnv {
  const env = madeHome();
  makeDatabase(join(env.home, ".hermes", "state.db"), SCHEMA_26, ...statements);
  return env;
}

export function open(env: AgentEnv, sessionId: string): ReadSession {
  return readSession(history, env, sessionId);
}

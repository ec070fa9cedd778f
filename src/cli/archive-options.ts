/** Selects the archive, and answers from it instead of this machine's stores. */
import { statSync } from "node:fs";
import type { SessionQuestions } from "../archive/answers/archive-sessions.ts";
import { archiveAddress, type ArchiveAddress } from "../archive/address.ts";
import { processEnv } from "../lib/fs/paths.ts";
import { usageError, type Invocation, type OptionSpec } from "./command.ts";
import type { ReadingClient } from "./local-sessions.ts";

export const TO_OPTION: OptionSpec = {
  name: "to",
  value: "address",
  description: "the archive, postgres://… (default: AMUX_ARCHIVE, or the address saved by amux archive use)",
};
export const TAKE_UNSURE_OPTION: OptionSpec = {
  name: "take-unsure",
  description: "redact possible secrets too, instead of withholding their sessions",
};
export const FROM_OPTION: OptionSpec = { ...TO_OPTION, name: "from" };

export const ARCHIVE_OPTIONS: readonly OptionSpec[] = [
  {
    name: "archive",
    value: "address",
    description:
      'read from an archive: postgres://…, "default" (AMUX_ARCHIVE, or amux archive use), or a pulled directory',
  },
  { name: "owner", value: "name", description: "with --archive: only this person's sessions", repeatable: true },
];

/** The archive a command works on. */
export function archiveOf(invocation: Invocation): ArchiveAddress {
  return archiveAddress(processEnv(), invocation.text("to") ?? invocation.text("from"));
}

/** Answers queries about sessions. */
export interface QueryClient extends Pick<ReadingClient, "adapters"> {
  sessions: SessionQuestions;
}

/** The same client, with the archive's sessions instead of this machine's if requested. */
export async function queryClient(invocation: Invocation, client: ReadingClient): Promise<QueryClient> {
  const archive = invocation.text("archive");
  const owners = invocation.texts("owner");
  if (archive === undefined) {
    if (owners.length > 0) throw usageError("--owner needs --archive: all sessions on this machine are yours.");
    return client;
  }
  const sessions = await archived(archive, owners.length > 0 ? owners : undefined);
  return { adapters: client.adapters, sessions };
}

async function archived(archive: string, owners: readonly string[] | undefined): Promise<SessionQuestions> {
  const env = processEnv();
  if (!archive.includes("://") && statSync(archive, { throwIfNoEntry: false })?.isDirectory()) {
    const { bundleSessions } = await import("../archive/answers/bundle-sessions.ts");
    return bundleSessions(archive, env, owners);
  }
  const { ArchiveSessions } = await import("../archive/answers/archive-sessions.ts");
  const address = archiveAddress(env, archive === "default" ? undefined : archive);
  return new ArchiveSessions(address, env, owners === undefined ? {} : { owners });
}

/** For secrets that must not appear in the process list. */
export async function standardInput(): Promise<string> {
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) text += piece as string;
  return text.trim();
}

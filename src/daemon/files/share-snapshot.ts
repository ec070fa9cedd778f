/** The redacted page of one session, written for a share link. */
import { AgentMuxError } from "../../core/errors.ts";
import { exportSession } from "../../history/export/export.ts";
import type { SessionView } from "../../history/session-view.ts";
import { AtomicFile } from "../../lib/fs/atomic-file.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";

export interface Snapshot {
  title: string;
  redacted: number;
  bytes: number;
}

export interface SnapshotSecrets {
  /** Of a new terminal of the user: the daemon's own may be a service manager's. */
  vars: Readonly<Record<string, string>>;
  values: readonly string[];
}

interface SnapshotOptions {
  file: string;
  takeUnsure: boolean;
  secrets: SnapshotSecrets;
  env: PathEnv;
  onProgress(): void;
}

/** No browser is comfortable with more. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

export async function writeSnapshot(
  view: SessionView,
  { file: path, takeUnsure, secrets, env, onProgress }: SnapshotOptions,
): Promise<Snapshot> {
  const yielder = new EventLoopYielder();
  let size = 0;
  // Before the search for secrets, which takes much longer.
  for (const piece of exportSession(view, "html")) {
    size += piece.length;
    if (size > MAX_CHARACTERS) throw tooLarge();
    onProgress();
    await yielder.yieldIfDue();
  }
  // The rules are large, and most history processes never share anything.
  const [{ readRules }, { redactedView }, { secretValues }] = await Promise.all([
    import("../../redaction/user-rules.ts"),
    import("../../redaction/redacted-view.ts"),
    import("../../redaction/redactor.ts"),
  ]);
  const { redactor } = readRules(env, [...secretValues(secrets.vars), ...secrets.values]);
  const clean = await redactedView(view, redactor, { takeUnsure, onProgress });
  const file = new AtomicFile(path);
  try {
    let bytes = 0;
    for (const piece of exportSession(clean, "html")) {
      onProgress();
      bytes += Buffer.byteLength(piece);
      file.write(piece);
      await yielder.yieldIfDue();
    }
    file.commit();
    const { title, redacted = 0 } = clean.summary;
    return { title, redacted, bytes };
  } catch (error) {
    file.abort();
    throw error;
  }
}

function tooLarge(): AgentMuxError {
  return new AgentMuxError(
    "VALIDATION_ERROR",
    `The session's page is larger than ${MAX_CHARACTERS / 1024 / 1024} MB. Send it as a file: amux sessions export --redact.`,
  );
}

/** Why tasks are not available; cached like an answer, so that a broken provider is not started all the time. */
export type TaskErrorKind = "timeout" | "parse" | "exec" | "not_found" | "untrusted";

export class TaskError extends Error {
  readonly kind: TaskErrorKind;

  constructor(kind: TaskErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "TaskError";
    this.kind = kind;
  }
}

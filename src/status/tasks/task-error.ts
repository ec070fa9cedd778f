/** Why tasks could not be told; also an answer that is remembered, so that a broken provider is not started all the time. */
export type TaskErrorKind = "timeout" | "parse" | "exec" | "not_found" | "untrusted";

export class TaskError extends Error {
  readonly kind: TaskErrorKind;

  constructor(kind: TaskErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "TaskError";
    this.kind = kind;
  }
}

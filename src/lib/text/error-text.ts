/** Message of a caught value, whatever was thrown. */
export function errorText(error: unknown): string {
  if (isProgramReplaced(error))
    return "amux was updated while it was running. Restart it (the daemon: amux daemon restart).";
  return error instanceof Error ? error.message : String(error);
}

/** An update removes the files of the old build, also those that a running program has not loaded yet. */
export function isProgramReplaced(error: unknown): boolean {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") return false;
  return /^Cannot find module '\.{1,2}\//.test(error.message);
}

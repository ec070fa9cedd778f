/** Lets a process that a test stopped go on; one that has ended in the meantime needs nothing. */
export function wake(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

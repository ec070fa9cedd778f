/** `amux` on a terminal. Returns the exit code when the user quits; sessions keep running. */
import { App } from "./app.ts";
import { readKeymap } from "./keymap.ts";
import { colorDepth } from "./render/color-depth.ts";
import { setTheme } from "./theme.ts";
import { showChanges } from "./dashboard/transcript.ts";
import type { TuiServices, WorkSubject } from "./services.ts";

export interface TuiOptions {
  /** Opens this session instead of the list. */
  sessionId?: string;
  /** Shows what this session changed; closing that quits. */
  changesOf?: WorkSubject;
}

export async function runTui(services: TuiServices, { sessionId, changesOf }: TuiOptions = {}): Promise<number> {
  // Errors in the key bindings are reported before the screen is taken over.
  const keymap = readKeymap(services.places.home);
  setTheme(keymap.theme ?? (colorDepth(services.env.vars) === "16" ? "terminal" : "dark"));
  return new Promise((resolve, reject) => {
    const app = new App(services, keymap, (exitCode) => {
      process.off("uncaughtException", fail).off("unhandledRejection", fail);
      resolve(exitCode);
    });
    const fail = (error: unknown): void => {
      app.restoreTerminal();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    process.once("uncaughtException", fail).once("unhandledRejection", fail);
    app.start();
    app.attempt(services.client.removeOrphans());
    if (sessionId !== undefined) app.attempt(app.openSession(sessionId));
    if (changesOf !== undefined) showChanges(app, changesOf, () => app.quit());
  });
}

/** The environment of programs that are not the user's sessions: theirs without what opens amux's doors. */
const SECRETS = ["AMUX_TOKEN", "AMUX_ARCHIVE"];

export function outsideEnv(vars: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => !SECRETS.includes(name)));
}

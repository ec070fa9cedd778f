/** The environment for programs that are not the user's sessions, without amux's secrets. */
const SECRETS = ["AMUX_TOKEN", "AMUX_ARCHIVE"];

export function externalEnv(vars: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => !SECRETS.includes(name)));
}

/** Paths below the home directory, as shells shorten them. In a file of its own: `amux ls` needs no past sessions. */
export function tildePath(path: string): string {
  const home = process.env["HOME"];
  return home !== undefined && home !== "/" && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}

/** Whether there is a graphics card behind WebGL. Where the processor plays one, a frame can take it most of a second. */

let isThere: boolean | undefined;

export function hasGraphicsCard(): boolean {
  isThere ??= look();
  return isThere;
}

function look(): boolean {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  // A browser gives out only a few.
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

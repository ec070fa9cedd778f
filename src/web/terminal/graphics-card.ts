/** Whether there is a graphics card behind WebGL. Where the processor plays one, a frame can take it most of a second. */

const PLAYED = /swiftshader|llvmpipe|software|basic render/i;

let isThere: boolean | undefined;

export function hasGraphicsCard(): boolean {
  isThere ??= look();
  return isThere;
}

function look(): boolean {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (context === null) return false;
  // Not every browser counts a played one as a caveat; its name tells.
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info === null ? "" : String(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
  // A browser gives out only a few.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !PLAYED.test(name);
}

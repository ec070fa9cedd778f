/** Detects a real GPU behind WebGL. With software rendering a frame can take most of a second. */

const PLAYED = /swiftshader|llvmpipe|software|basic render/i;

let isThere: boolean | undefined;

export function hasGraphicsCard(): boolean {
  isThere ??= look();
  return isThere;
}

function look(): boolean {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (context === null) return false;
  // Not every browser reports software rendering as a caveat, so the renderer's name is checked too.
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = info === null ? "" : String(context.getParameter(info.UNMASKED_RENDERER_WEBGL));
  // Browsers limit the number of contexts.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !PLAYED.test(name);
}

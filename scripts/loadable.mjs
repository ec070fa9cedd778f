/**
 * What src/lib/compiled-bundle.ts loads: a CommonJS file's text as the function that it is run as. Put around it only when it is
 * loaded, that would have V8 copy the whole. In plain ASCII, so that it is loaded without being decoded.
 */
export function loadable(text) {
  return `(function (exports, require, module, __filename, __dirname) {${inAscii(text)}\n})`;
}

/** Only regular expressions hold other characters in what esbuild writes. */
function inAscii(text) {
  return text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Headers that keep what we send from being used otherwise than meant. */

const ALWAYS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Data is nothing to be shown as a page, whatever is in it. */
export function apiHeaders(): Record<string, string> {
  return {
    ...ALWAYS,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
}

/** The page loads its own files only, talks to its own daemon only, and is nobody's frame. */
export function pageHeaders(): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Terminals set the position and colour of every cell by style.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return { ...ALWAYS, "content-security-policy": policy.join("; ") };
}

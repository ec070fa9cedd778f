/** Security headers for our answers. */

const ALWAYS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** API data must never be rendered as a page. */
export function apiHeaders(): Record<string, string> {
  return {
    ...ALWAYS,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
}

/** A shared session is a document without scripts, in an origin of its own: it can reach neither the page nor its cookie. */
export function sharedHeaders(): Record<string, string> {
  return {
    ...ALWAYS,
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  };
}

/** The page loads only its own files, connects only to its daemon, and cannot be framed. */
export function pageHeaders(): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Terminals style every cell inline.
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

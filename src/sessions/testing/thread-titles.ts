/** First prompts of threads, for tests of rows that a scanner writes: plain, escaped, of other letters, too long, of two lines, behind a preamble. */
export const THREAD_TITLES = [
  "Which?",
  'say "hi" \\ and more',
  "Grüße",
  "語".repeat(120),
  "a\nb",
  "# Context\n\n## My request for Codex:\nWhich?",
];

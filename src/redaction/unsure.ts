/** Findings that may be harmless: somebody has to decide. */
import type { Finding } from "./redactor.ts";

/** Undefined if every finding is certain. */
export function doubtAbout(findings: readonly Finding[]): string | undefined {
  const [first, ...others] = findings.filter(({ isUnsure }) => isUnsure);
  if (first === undefined) return undefined;
  const { rule, where, length } = first;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `may hold a secret: ${where} (${rule}, ${length} characters)${more}`;
}

/** The rules of secretlint's recommended preset, which its maintainers keep current. */
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";

export interface FoundRange {
  rule: string;
  start: number;
  end: number;
}

/** Ranges that look like secrets, in order. */
export function maintainedFindings(text: string): FoundRange[] {
  const found: FoundRange[] = [];
  const source = sourceOf(text);
  for (const scan of SCANNERS) scan(source, found);
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

type Scanner = (source: SecretLintSourceCode, found: FoundRange[]) => void;

const SCANNERS: readonly Scanner[] = rules
  .filter(({ meta }) => meta.type === "scanner")
  .map((creator): Scanner => {
    const rule = creator.meta.id.replace(/^.*-rule-/, "");
    let found: FoundRange[] = [];
    const context: SecretLintRuleContext = {
      sharedOptions: {},
      createTranslator: () => (messageId, data) => ({ messageId: String(messageId), message: "", data: data as never }),
      report: ({ range: [start, end] }) => void found.push({ rule, start, end }),
      ignore: () => undefined,
    };
    const handler = creator.create(context, {});
    return (source, all) => {
      found = all;
      // No rule is asynchronous; one that became so would report too late, and fail the corpus test.
      void handler.file?.(source);
    };
  });

function sourceOf(content: string): SecretLintSourceCode {
  return {
    filePath: "",
    content,
    contentType: "text",
    ext: ".txt",
    hasBOM: false,
    getSource: () => content,
    indexToPosition: () => ({ line: 1, column: 0 }),
    positionToIndex: () => 0,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: { line: 1, column: 0 }, end: { line: 1, column: 0 } }),
  } as unknown as SecretLintSourceCode;
}

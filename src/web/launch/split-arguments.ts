/** Splits a typed line into arguments, with quotes. Nothing is expanded. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [, double, single, plain] of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)/g)) {
    words.push(single ?? (double ?? plain ?? "").replaceAll(/\\(.)/g, "$1"));
  }
  return words;
}

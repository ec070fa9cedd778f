/** The program in every terminal of the chaos test, which records its output apart from amux. */
import { statSync } from "node:fs";
import { join } from "node:path";

export const BURST_LINES = 300;

export const LAST_LINE = "answer-end.";

/**
 * Answers every line. During a burst it adds a byte to a separate file after each line the terminal took. Exits with 7 on
 * request.
 */
export function witnessProgram(directory: string): string {
  return `while read line; do case $line in
end) echo ${LAST_LINE}; exit 7;;
burst-*) n=\${line#burst-}; i=0
  while [ $i -lt ${BURST_LINES} ]; do echo "b$n-$i."; echo >&3; i=$((i+1)); done 3>${directory}/$n;;
*) echo "answer-$line.";;
esac; done`;
}

export function burst(number: number): string[] {
  return Array.from({ length: BURST_LINES }, (_, at) => `b${number}-${at}.`);
}

/** Lines of a burst that the terminal has accepted. */
export function taken(directory: string, number: number): number {
  return statSync(join(directory, String(number)), { throwIfNoEntry: false })?.size ?? 0;
}

/** What programs wrote, in order, without input and formatting. */
export function linesIn(text: string): string[] {
  return text.match(/answer-(?:\d+|end)\.|b\d+-\d+\./g) ?? [];
}

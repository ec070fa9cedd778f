/** Answers the path it wrote. */
export function buildRunner(outfile?: string): Promise<string>;

export function bundleToFile(input: string, file: string, output?: { format?: "cjs" | "es" }): Promise<string>;

/** One vendor's protocol: how requests are read and answers are written. */
import type { Answer, Asked } from "./scripted-model.ts";

export type Given = Exclude<Answer, { kind: "refusal" }>;

export interface Piece {
  event?: string;
  data: unknown;
}

export interface Dialect {
  takes: RegExp;
  modelOf(body: Record<string, unknown>, path: string): string;
  read(body: Record<string, unknown>): Asked;
  streams(body: Record<string, unknown>, path: string): boolean;
  pieces(answer: Given, model: string): Piece[];
  whole(answer: Given, model: string): unknown;
  refusal(status: number, message: string): unknown;
}

export type Block = Record<string, unknown>;

/** The text of a message made of strings, blocks, or both. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  return blocks.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("\n");
}

let lastId = 0;
export const newId = (prefix: string): string => `${prefix}_${Date.now().toString(36)}${++lastId}`;

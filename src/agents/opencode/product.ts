import type { Product } from "../shared/opencode/product.ts";

export const OPENCODE: Product = { name: "opencode", displayName: "OpenCode", prefix: "OPENCODE" };

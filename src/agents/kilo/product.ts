import type { Product } from "../shared/opencode/product.ts";

export const KILO: Product = { name: "kilo", displayName: "Kilo", prefix: "KILO" };

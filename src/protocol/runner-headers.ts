/** Headers of a runner's HTTP interface. */

/** Every answer carries it; a request that carries another value is refused with 409. */
export const INCARNATION_HEADER = "x-amux-incarnation";

/** Repeating a request with the same value delivers its input once. */
export const INPUT_ID_HEADER = "x-amux-input-id";

/** The input is nothing but keys: arrows go to the program in the way it has asked for. */
export const KEYS_HEADER = "x-amux-keys";

/** With what is on a screen: its size, and how much of the program's output it shows. */
export const COLS_HEADER = "x-amux-cols";
export const ROWS_HEADER = "x-amux-rows";
export const SEQ_HEADER = "x-amux-seq";

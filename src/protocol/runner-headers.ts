/** Headers of a runner's HTTP interface. */

/** Every answer carries it; a request with another value is refused with 409. */
export const INCARNATION_HEADER = "x-amux-incarnation";

/** Repeating a request with the same value delivers its input only once. */
export const INPUT_ID_HEADER = "x-amux-input-id";

/** The input consists of keys only: arrows are sent in the mode the program requested. */
export const KEYS_HEADER = "x-amux-keys";

/** Sent with a screen: its size, and the output offset it shows. */
export const COLS_HEADER = "x-amux-cols";
export const ROWS_HEADER = "x-amux-rows";
export const SEQ_HEADER = "x-amux-seq";

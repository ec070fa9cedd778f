/** Headers of a runner's HTTP interface. */

/** Every answer carries it; a request that carries another value is refused with 409. */
export const INCARNATION_HEADER = "x-amux-incarnation";

/** Repeating a request with the same value delivers its input once. */
export const INPUT_ID_HEADER = "x-amux-input-id";

/** On answers to hooks: under which name the session's status file is kept. */
export const STATUS_NAME_HEADER = "x-amux-status-name";

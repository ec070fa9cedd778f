/** Whether output may hold a question to the terminal, whose answer the program waits for. Rather once too often than never. */

const ESC = 0x1b;
const ENQUIRY = 0x05;

/** What follows ESC: device attributes, reports, modes, colours (`?`), the answerback; and the end of a torn one. */
const QUESTION = /\x1b(?:\[[>=?]?[\d;]*\$?[cnpqutx]|[\]P]|Z|\[[^@-~]*$|$)/;

export function mayAsk(output: Buffer): boolean {
  if (output.length === 1) return output[0] === ESC || output[0] === ENQUIRY;
  if (!output.includes(ESC)) return output.includes(ENQUIRY);
  return QUESTION.test(output.toString("latin1")) || output.includes(ENQUIRY);
}

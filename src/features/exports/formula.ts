/**
 * Whether a spreadsheet may reckon a text as a formula. The wide signs are read as the narrow ones
 * where Asian writing is set.
 */
export function isLikeFormula(text: string): boolean {
  return FORMULA.test(text);
}

const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

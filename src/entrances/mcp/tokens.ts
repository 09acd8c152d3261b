/** The most that a model reads of one answer, in tokens of o200k. */
export const MOST_TOKENS = 20_000;

/**
 * At least as many as the tokens of o200k in a JSON text, in one pass. Our keys and punctuation are
 * known words; a foreign text is counted by what its letters can come to at the worst.
 */
export function tokensAtMost(json: string): number {
  let tokens = 0;
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    const start = at;
    if (code === QUOTE) {
      at = endOfString(json, at) + 1;
      const isKey = json.charCodeAt(at) === COLON;
      tokens += QUOTES + (isKey ? ofKey(at - start - 2) : ofText(json, start + 1, at - 1));
    } else {
      at = endOfRun(json, at, json.length, code);
      tokens += ofRun(code, at - start);
    }
  }
  return Math.ceil(tokens);
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
/** Both of a string: o200k joins each of them with the signs beside it. */
const QUOTES = 0.75;
/** Braces, commas and colons come two or more to a token; a number's dot does not. */
const BETWEEN = 0.5;
const JOINED = new Set([...'{}[],:'].map((sign) => sign.charCodeAt(0)));
const DIGITS_OF_TOKEN = 3;
const LETTERS_OF_KEY = 3;
/** Nearly every pair of other small letters is a token; of these many pairs are none. */
const RARE = new Set([...'jqxz'].map((letter) => letter.charCodeAt(0)));
const OF_COMMON_LETTER = 0.75;

function ofKey(length: number): number {
  return Math.ceil(length / LETTERS_OF_KEY);
}

/** Of numbers, of `true`, `false` and `null`, and of what is between them. */
function ofRun(code: number, length: number): number {
  if (isDigit(code)) return Math.ceil(length / DIGITS_OF_TOKEN);
  return JOINED.has(code) ? BETWEEN : 1;
}

function ofText(json: string, from: number, to: number): number {
  let tokens = 0;
  for (let at = from; at < to; ) {
    const code = json.charCodeAt(at);
    const end = endOfRun(json, at, to, code);
    if (isDigit(code)) tokens += Math.ceil((end - at) / DIGITS_OF_TOKEN);
    else tokens += isSmall(code) ? ofLetters(json, at, end) : bytesOf(code);
    at = end;
  }
  return tokens;
}

function ofLetters(json: string, from: number, to: number): number {
  let tokens = 0;
  for (let at = from; at < to; at++) tokens += RARE.has(json.charCodeAt(at)) ? 1 : OF_COMMON_LETTER;
  return Math.ceil(tokens);
}

/** Of digits, or of small letters; any other character is a run of its own. */
function endOfRun(json: string, start: number, to: number, code: number): number {
  let at = start + 1;
  if (isDigit(code)) while (at < to && isDigit(json.charCodeAt(at))) at++;
  else if (isSmall(code)) while (at < to && isSmall(json.charCodeAt(at))) at++;
  return at;
}

/** In UTF-8; a token has at least one. Half of a pair has half of four. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) return 2;
  return 3;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE)
    at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

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
      const kind = kindOf(code);
      at = endOfRun(json, at, json.length, kind);
      tokens += ofRun(kind, at - start);
    }
  }
  return Math.ceil(tokens);
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
/** Both of a string: o200k joins each of them with the signs beside it. */
const QUOTES = 0.75;
/** Braces, commas and colons come two or more to a token; a number's dot does not. */
const BETWEEN = 0.5;
const DIGITS_OF_TOKEN = 3;
const LETTERS_OF_KEY = 3;
/** Nearly every pair of other small letters is a token; of these many pairs are none. */
const RARE = 'jqxz';
const OF_COMMON_LETTER = 0.75;

const [OTHER, DIGIT, SMALL, JOINED] = [0, 1, 2, 3];
/** By code; a table, as a page has some 20,000 characters. */
const KINDS = new Uint8Array(128);
const OF_LETTER = new Float64Array(128);
for (const digit of '0123456789') KINDS[digit.charCodeAt(0)] = DIGIT;
for (const sign of '{}[],:') KINDS[sign.charCodeAt(0)] = JOINED;
for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
  KINDS[letter.charCodeAt(0)] = SMALL;
  OF_LETTER[letter.charCodeAt(0)] = RARE.includes(letter) ? 1 : OF_COMMON_LETTER;
}

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] as number) : OTHER;
}

function ofKey(length: number): number {
  return Math.ceil(length / LETTERS_OF_KEY);
}

/** Of numbers, of `true`, `false` and `null`, and of what is between them. */
function ofRun(kind: number, length: number): number {
  if (kind === DIGIT) return Math.ceil(length / DIGITS_OF_TOKEN);
  return kind === JOINED ? BETWEEN : 1;
}

function ofText(json: string, from: number, to: number): number {
  let tokens = 0;
  for (let at = from; at < to; ) {
    const code = json.charCodeAt(at);
    const kind = kindOf(code);
    const start = at++;
    if (kind === SMALL) {
      let letters = OF_LETTER[code] as number;
      for (let next = 0; at < to; at++) {
        next = json.charCodeAt(at);
        if (kindOf(next) !== SMALL) break;
        letters += OF_LETTER[next] as number;
      }
      tokens += Math.ceil(letters);
    } else if (kind === DIGIT) {
      at = endOfRun(json, start, to, kind);
      tokens += Math.ceil((at - start) / DIGITS_OF_TOKEN);
    } else tokens += bytesOf(code);
  }
  return tokens;
}

/** Of digits, or of small letters; any other character is a run of its own. */
function endOfRun(json: string, start: number, to: number, kind: number): number {
  let at = start + 1;
  if (kind === DIGIT || kind === SMALL)
    while (at < to && kindOf(json.charCodeAt(at)) === kind) at++;
  return at;
}

/** In UTF-8; a token has at least one. Half of a pair has half of four. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) return 2;
  return 3;
}

function endOfString(json: string, start: number): number {
  for (let at = start; ; ) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    if (!isEscaped(json, at)) return at;
  }
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0;
  while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

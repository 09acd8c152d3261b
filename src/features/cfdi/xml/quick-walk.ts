import { elementOf, MOST_ATTRIBUTES, MOST_DEPTH, type OpenedElement } from './walk.ts';

// XML as programs usually write tax documents, in one pass, for speed alone: the parser takes half
// as long again. What is of another kind, faulty or not, is left to the parser.

/** Namespaces by their prefixes; an empty prefix is the default one. */
type Scope = ReadonlyMap<string, string>;

interface OpenTag {
  readonly name: string;
  readonly path: string;
  readonly scope: Scope;
}

const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32];
const [DOUBLE_QUOTE, AMPERSAND, SINGLE_QUOTE, SLASH] = [34, 38, 39, 47];
const [COLON, LESS, EQUAL, GREATER, BRACKET] = [58, 60, 61, 62, 93];
/** Those beyond are halves of letters, seldom ones, or forbidden. */
const LAST = 0xd7ff;
const XMLNS = 'xmlns';

const DECLARATION =
  /<\?xml version=(["'])1\.0\1(?: encoding=(["'])[Uu][Tt][Ff]-8\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>/y;
const COMMENT = /<!--(?:-?[\t\n\r -,.-\ud7ff])*-->/y;
const INSTRUCTION = /<\?(?!xml)[a-z]\w*(?: [\t\n\r ->@-\ud7ff]*)?\?>/iy;
const NUMBERED = /^#(?:(\d{1,5})|x([\da-fA-F]{1,4}))$/;
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const RESERVED = ['xml', XMLNS];
const RESERVED_URI = /^http:\/\/www\.w3\.org\/(XML\/1998\/namespace|2000\/xmlns\/)$/;
const NO_PREFIX: Scope = new Map([['', '']]);

/** By the codes of letters: 2 = begins a name, 1 = goes on in one. */
const NAME_LETTERS = Uint8Array.from({ length: 256 }, (_, code) => {
  const letter = String.fromCharCode(code);
  return /[A-Za-z_À-ÖØ-öø-ÿ]/.test(letter) ? 2 : Number(/[-.\d]/.test(letter));
});

/**
 * Goes through a document as `walkXml` does. @param text of a small document
 * @returns false where it is left to the parser; what was opened until then counts for nothing
 */
export function walkQuickly(text: string, open: (element: OpenedElement) => void): boolean {
  return new QuickWalk(text, open).isWhole();
}

class QuickWalk {
  readonly #text: string;
  readonly #open: (element: OpenedElement) => void;
  readonly #tags: OpenTag[] = [];
  #at = 0;
  #hasRoot = false;
  /** Where the prefix of the last name ends; -1 = it has none. */
  #colon = -1;

  constructor(text: string, open: (element: OpenedElement) => void) {
    this.#text = text;
    this.#open = open;
  }

  isWhole(): boolean {
    this.#pass(DECLARATION);
    while (this.#at < this.#text.length) if (!this.#step()) return false;
    return this.#hasRoot && this.#tags.length === 0;
  }

  #step(): boolean {
    if (this.#text.charCodeAt(this.#at) !== LESS) return this.#passText();
    const next = this.#text[this.#at + 1];
    if (next === '/') return this.#passEnd();
    if (next === '!') return this.#pass(COMMENT);
    if (next === '?') return this.#pass(INSTRUCTION);
    return this.#passTag();
  }

  #pass(sticky: RegExp): boolean {
    sticky.lastIndex = this.#at;
    if (!sticky.test(this.#text)) return false;
    this.#at = sticky.lastIndex;
    return true;
  }

  /** No text is read; outside of the root there is none. */
  #passText(): boolean {
    const text = this.#text;
    const isInside = this.#tags.length > 0;
    let at = this.#at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LESS) break;
      if (isSpace(code)) continue;
      if (!isInside || isForbidden(code)) return false;
      if (code === AMPERSAND || code === BRACKET) return false;
    }
    this.#at = at;
    return true;
  }

  #passEnd(): boolean {
    const tag = this.#tags.pop();
    if (!tag || !this.#text.startsWith(tag.name, this.#at + 2)) return false;
    this.#at = afterSpaces(this.#text, this.#at + 2 + tag.name.length);
    return this.#passLetter(GREATER);
  }

  #passTag(): boolean {
    const from = this.#at + 1;
    const around = this.#tags.at(-1);
    if (this.#hasRoot && !around) return false;
    if (!this.#passName(from) || this.#tags.length >= MOST_DEPTH) return false;
    const name = this.#text.slice(from, this.#at);
    const colon = this.#colon - from;
    const values = new Map<string, string>();
    const qualified = this.#passAttributes(values);
    const scope = qualified && scopeIn(around?.scope ?? NO_PREFIX, qualified, values);
    const namespace = scope?.get(colon < 0 ? '' : name.slice(0, colon));
    if (!scope || namespace === undefined) return false;
    const local = colon < 0 ? name : name.slice(colon + 1);
    const element = elementOf(around?.path ?? '', namespace, local, values);
    this.#open(element);
    this.#hasRoot = true;
    if (!this.#passLetter(SLASH)) this.#tags.push({ name, path: element.path, scope });
    return this.#passLetter(GREATER);
  }

  /** @returns the names that have a prefix or declare one; null = not of the usual kind */
  #passAttributes(values: Map<string, string>): string[] | null {
    const qualified: string[] = [];
    for (;;) {
      const end = this.#at;
      const from = afterSpaces(this.#text, end);
      this.#at = from;
      const code = this.#text.charCodeAt(from);
      if (code === GREATER || code === SLASH) return qualified;
      if (from === end || !this.#passName(from) || values.size === MOST_ATTRIBUTES) return null;
      const name = this.#text.slice(from, this.#at);
      const value = this.#passValue();
      // Twice the same one is a fault.
      if (value === null || values.size === values.set(name, value).size) return null;
      if (this.#colon >= 0 || (name.length === XMLNS.length && name === XMLNS))
        qualified.push(name);
    }
  }

  #passName(from: number): boolean {
    const end = afterName(this.#text, from);
    const hasPrefix = this.#text.charCodeAt(end) === COLON;
    this.#colon = hasPrefix ? end : -1;
    this.#at = hasPrefix ? afterName(this.#text, end + 1) : end;
    return end > from && (!hasPrefix || this.#at > end + 1);
  }

  #passValue(): string | null {
    if (!this.#passLetter(EQUAL)) return null;
    const text = this.#text;
    const quote = text.charCodeAt(this.#at);
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return null;
    const from = this.#at + 1;
    let isPlain = true;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        return isPlain ? text.slice(from, at) : resolved(text.slice(from, at));
      }
      if (isForbidden(code)) return null;
      if (code < SPACE || code === AMPERSAND) isPlain = false;
    }
    return null;
  }

  #passLetter(letter: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== letter) return false;
    this.#at += 1;
    return true;
  }
}

/** Null where a prefix has no namespace, two attributes are one, or something is reserved. */
function scopeIn(
  around: Scope,
  qualified: readonly string[],
  values: ReadonlyMap<string, string>,
): Scope | null {
  if (qualified.length === 0) return around;
  const scope = new Map(around);
  const others: string[][] = [];
  for (const name of qualified) {
    const [prefix = '', local = ''] = name.split(':');
    if (prefix !== XMLNS) {
      others.push([prefix, local]);
      continue;
    }
    const uri = values.get(name)?.trim() ?? '';
    if (RESERVED.includes(local) || RESERVED_URI.test(uri) || (uri === '' && local !== ''))
      return null;
    scope.set(local, uri);
  }
  const seen = new Set(others.map(([prefix = '', local]) => `${scope.get(prefix)} ${local}`));
  return seen.size === others.length && others.every(([prefix = '']) => scope.has(prefix))
    ? scope
    : null;
}

/** A value as it is meant; null = with a reference that is left to the parser. */
function resolved(raw: string): string | null {
  const value = raw.replace(/\r\n|[\t\n\r]/g, ' ');
  let [text, from] = ['', 0];
  for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', from)) {
    const end = value.indexOf(';', at);
    const letter = end < 0 ? null : letterOf(value.slice(at + 1, end));
    if (letter === null) return null;
    text += value.slice(from, at) + letter;
    from = end + 1;
  }
  return text + value.slice(from);
}

function letterOf(reference: string): string | null {
  const known = ENTITIES.get(reference);
  if (known !== undefined) return known;
  const [, decimal, hex] = NUMBERED.exec(reference) ?? [];
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isUsual = (code >= SPACE && code <= LAST) || isSpace(code);
  return isUsual ? String.fromCharCode(code) : null;
}

/** In a value, and in a text. */
function isForbidden(code: number): boolean {
  return code === LESS || code > LAST || (code < SPACE && !isSpace(code));
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === RETURN || code === TAB;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Without a prefix; where none is here, the same place. */
function afterName(text: string, from: number): number {
  if (NAME_LETTERS[text.charCodeAt(from)] !== 2) return from;
  let at = from + 1;
  while ((NAME_LETTERS[text.charCodeAt(at)] ?? 0) > 0) at += 1;
  return at;
}

import { createHash } from 'node:crypto';
import { isRawNumber, rawNumber } from '../../platform/json.ts';

/** Fields with values of a marketplace's own vocabulary, which identify no person. */
const VOCABULARY =
  /(status|state|type|kind|code|currency|unit|mode|method|substatus|gateway|channel|source|topic|action|reason|carrier|level|category|country|locale|date|time|_at|At|_on)$/i;
/**
 * Fields that name, address or authenticate a person or an account, whatever form their values
 * have.
 */
const PERSONAL =
  /(name|mail|phone|tel|street|address|zip|postal|city|rfc|tax_?id|document|comment|note|message|token|secret|password|key|signature|nick|user|buyer|customer|receiver|recipient|contact|card|url|link|ip)$/i;
/** A value of a table, in capitals or with underscores. */
const WORD = /^(?:[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*|[a-z]+(?:_[a-z]+)+)$/;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const LONGEST_WORD = 40;
/** Shorter ones are quantities and amounts. */
const DIGITS_OF_IDS = 7;

/**
 * A document in the shape of a fixture: structure, words of tables, times and amounts stay;
 * identifiers become others of the same form, the same one each time; text that people wrote
 * becomes as many letters.
 * @param salt makes the substitutes of one run; without it they cannot be traced back
 */
export function redact(document: unknown, salt: string): unknown {
  const substitute = (text: string) => substituteOf(text, salt);
  const walk = (value: unknown, field: string): unknown => {
    if (Array.isArray(value)) return value.map((element) => walk(element, field));
    if (isRawNumber(value)) return rawNumber(redactNumber(value.rawJSON, substitute));
    if (typeof value === 'string') return redactText(value, field, substitute);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, key)]));
  };
  return walk(document, '');
}

function redactText(text: string, field: string, substitute: (text: string) => string): string {
  if (text === '' || TIME.test(text)) return text;
  const isVocabulary = text.length <= LONGEST_WORD && (VOCABULARY.test(field) || WORD.test(text));
  if (isVocabulary && !PERSONAL.test(field) && !/[\d@]{5,}|@/.test(text)) return text;
  return substitute(text);
}

function redactNumber(digits: string, substitute: (text: string) => string): string {
  return /^\d+$/.test(digits) && digits.length >= DIGITS_OF_IDS ? substitute(digits) : digits;
}

/**
 * Letters for letters and digits for digits; a number keeps its first digit, so that it stays one.
 */
function substituteOf(text: string, salt: string): string {
  let stream = Buffer.alloc(0);
  const next = (index: number): number => {
    while (stream.length <= index)
      stream = Buffer.concat([
        stream,
        createHash('sha256').update(`${salt}${stream.length}${text}`).digest(),
      ]);
    return stream[index] as number;
  };
  return [...text]
    .map((character, index) => {
      if (/\d/.test(character)) return index === 0 ? character : String(next(index) % 10);
      if (/\p{Lu}/u.test(character)) return String.fromCharCode(65 + (next(index) % 26));
      return /\p{L}/u.test(character) ? String.fromCharCode(97 + (next(index) % 26)) : character;
    })
    .join('');
}

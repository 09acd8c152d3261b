import type { BuyerName } from '../../connectors/contract.ts';
import { fold } from '../../platform/text.ts';

const PARTICLES = new Set(['de', 'del', 'la', 'las', 'los', 'y', 'e', 'van', 'von', 'da', 'dos']);

/**
 * Usual second given names: «José Luis Martínez» is José M., and «José Martínez Luna» is José M. as
 * well.
 */
const SECOND_GIVEN_NAMES = new Set(
  (
    'alberto alejandra alejandro alfredo andrea ángel ángeles antonia antonio armando arturo beatriz carlos carmen cecilia ' +
    'concepción cristina daniel daniela eduardo elena enrique ernesto esther eugenia felipe fernanda fernando francisco ' +
    'gabriel gabriela gerardo guadalupe guillermo gustavo héctor ignacio isabel javier jesús jorge josé josefina juan juana ' +
    'julia julio laura leticia lourdes lucía luis luisa luz manuel marcela margarita maría mario martha mercedes miguel ' +
    'mónica pablo patricia paula pedro pilar rafael ramón raúl refugio ricardo roberto rocío rosa rosario salvador santiago ' +
    'sergio socorro sofía soledad susana teresa valeria verónica vicente víctor victoria'
  )
    .split(' ')
    .map(fold),
);

const EMAIL = /\S@\S/;
/** Seven digits and more, however they are grouped. */
const TELEPHONE = /^[\s+().-]*(?:\d[\s().-]*){7,}$/;

/**
 * The public name of a buyer: the first given name and the initial of the first surname, `Juan P.`.
 * A name that is abbreviated already stays unchanged; an e-mail address or a telephone number is no
 * name.
 */
export function abbreviate(name: BuyerName | null): string | null {
  if (name === null) return null;
  if (typeof name === 'string') return isContact(name) ? null : fromOneText(wordsOf(name));
  const [given = '', family = ''] = [name.given ?? '', name.family ?? ''].map((part) =>
    isContact(part) ? '' : part,
  );
  const [first, ...rest] = wordsOf(given);
  if (!first) return fromOneText(wordsOf(family));
  // Some shops put the whole name into the first field.
  const surnames = surnamesIn(wordsOf(family));
  return surnames.length > 0 ? withInitial(first, surnames[0]) : fromOneText([first, ...rest]);
}

function fromOneText([first, ...others]: readonly string[]): string | null {
  if (!first) return null;
  const names = surnamesIn(others);
  return withInitial(first, names[surnameAt(names)]);
}

/** The index of the first surname among the words after the first given name. */
function surnameAt(names: readonly string[]): number {
  if (names.length >= 3) return 1;
  return names.length === 2 && SECOND_GIVEN_NAMES.has(fold(names[0] ?? '')) ? 1 : 0;
}

function withInitial(first: string, surname: string | undefined): string {
  const initial = surname ? [...surname].find((letter) => /\p{L}/u.test(letter)) : undefined;
  return initial ? `${first} ${initial.toUpperCase()}.` : first;
}

function surnamesIn(words: readonly string[]): string[] {
  return words.filter((word) => !PARTICLES.has(word.toLowerCase()));
}

function wordsOf(name: string): string[] {
  return name
    .normalize('NFC')
    .split(/\s+/u)
    .filter((word) => word !== '');
}

function isContact(text: string): boolean {
  return EMAIL.test(text) || TELEPHONE.test(text);
}

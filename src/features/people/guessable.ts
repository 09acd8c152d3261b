import { COMMON_PASSWORDS } from './common-passwords.ts';

/** Words of usual passwords, without case and accents. */
const WORDS =
  /contrasena|password|passw0rd|p@ssw0rd|administra(?:dora?|tor)?|bienvenid[oa]s?|mexico|teamo|tequiero|iloveyou|letmein|welcome|secret[oa]?|cambiame|changeme|tianguis|mercadolibre|mitienda|vendedor/g;

/** Rows and columns of a keyboard, the alphabet and the digits. */
const WALKS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
].flatMap((walk) => [walk, [...walk].reverse().join('')]);
const SHORTEST_WALK = 3;

const REPEATED = /^(.{1,8}?)\1{1,5}$/su;
/** So many characters beside what can be guessed make a password hard to guess. */
const ENOUGH = 5;

/** Whether a program that tries usual passwords, or knows the person, finds it early. */
export function isGuessable(password: string, about: { email: string; name: string }): boolean {
  const folded = fold(password);
  if (COMMON_PASSWORDS.has(folded) || new Set(folded).size < 4 || REPEATED.test(folded))
    return true;
  const email = fold(about.email);
  const [local = ''] = email.split('@');
  const name = fold(about.name);
  const own = [email, local, name, ...name.split(/\s+/)].filter((known) => known.length >= 4);
  const unknown = own.reduce((rest, known) => rest.replaceAll(known, ''), folded);
  const rest = unknown.replaceAll(WORDS, '');
  const left = withoutWalks(rest);
  // Digits and signs beside a word are usual: a year, «123», «!».
  const counted = rest === folded ? left : left.replaceAll(/[^\p{Letter}]/gu, '');
  return counted.length < ENOUGH;
}

function withoutWalks(text: string): string {
  let left = '';
  for (let at = 0; at < text.length; ) {
    const length = walkAt(text, at);
    if (length < SHORTEST_WALK) left += text[at];
    at += length < SHORTEST_WALK ? 1 : length;
  }
  return left;
}

/** How many characters from here on follow a walk. */
function walkAt(text: string, at: number): number {
  let length = 0;
  while (
    at + length < text.length &&
    WALKS.some((walk) => walk.includes(text.slice(at, at + length + 1)))
  )
    length++;
  return length;
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
}

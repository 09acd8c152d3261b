import type { Dice } from '../../../simulators/dice.ts';

/** Draws a value that a simple type of the SAT's schemas allows. */
export type Draw = (chance: Dice) => string;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ&Ñ';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const HEX = '0123456789abcdefABCDEF';
const WORDS = [
  'Lámpara',
  'niño & niña',
  'tornillo 1/2" <acero>',
  "D'Óleo",
  'Café molido',
  'Envío',
  '☕ taza',
  'CAMIÓN',
  'a\tb',
  'línea\notra',
  'Muñoz',
];

/** `t_Importe`; the schema's eighteen digits before the point are more money than there is. */
export const amount: Draw = (chance) => {
  const whole = chance.chance(0.05)
    ? digits(chance.whole(10, 15))(chance)
    : String(chance.whole(0, 99_999));
  const places = chance.pick([0, 1, 2, 2, 2, 2, 6]);
  return places === 0 ? whole : `${whole}.${digits(places)(chance)}`;
};
export const rate: Draw = oneOf('0.000000', '0.080000', '0.160000', '0.025000', '0.106666');
export const rfc: Draw = (chance) => {
  if (chance.chance(0.15)) return chance.pick(['XAXX010101000', 'XEXX010101000']);
  const letters = many(chance.pick([3, 4]), LETTERS)(chance);
  return `${letters}${digits(2)(chance)}${two(chance, 12)}${two(chance, 28)}${many(3, ALNUM)(chance)}`;
};
export const uuid: Draw = (chance) =>
  [8, 4, 4, 4, 12].map((length) => many(length, HEX)(chance)).join('-');
export const seal: Draw = (chance) => `${many(342, BASE64)(chance)}==`;
export const certificate: Draw = (chance) => many(1_800, BASE64)(chance);
/** `t_FechaH`: a local time. The first hour of a day may not exist where clocks are turned. */
export const time: Draw = (chance) => {
  const clock = [chance.whole(4, 23), chance.whole(0, 59), chance.whole(0, 59)];
  return `${day(chance)}T${clock.map((part) => String(part).padStart(2, '0')).join(':')}`;
};
export const day: Draw = (chance) =>
  `20${chance.whole(19, 26)}-${two(chance, 12)}-${two(chance, 28)}`;
export const zip: Draw = digits(5);

/** One to so many characters of Spanish, with what XML has to escape. */
export function text(most: number): Draw {
  return (chance) => {
    const words = Array.from({ length: chance.whole(1, 4) }, () => chance.pick(WORDS));
    return words.join(' ').slice(0, most).trim();
  };
}

export function digits(length: number): Draw {
  return many(length, '0123456789');
}

export function alphanumeric(most: number): Draw {
  return (chance) => many(chance.whole(1, most), ALNUM)(chance);
}

export function oneOf(...values: readonly string[]): Draw {
  return (chance) => chance.pick(values);
}

function many(length: number, of: string): Draw {
  const characters = [...of];
  return (chance) => Array.from({ length }, () => chance.pick(characters)).join('');
}

function two(chance: Dice, most: number): string {
  return String(chance.whole(1, most)).padStart(2, '0');
}

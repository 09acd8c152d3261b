/**
 * A scheme, `www.`, or a dot before two letters: what a mail program turns into a link. «S.A. de
 * C.V.» is none. Mail programs and browsers read four characters as a dot.
 */
const ADDRESS_LIKE = /:\/\/|www[.\u3002\uff0e\uff61]|[.\u3002\uff0e\uff61]\p{L}{2}/iu;

export const NO_ADDRESS_IN_NAME =
  'El nombre no puede llevar direcciones de internet, como «www» o «tienda.com». Después de un punto deja un espacio.';

/**
 * A person's own words, for a mail to another person: each line after `> `, without the empty ones,
 * control characters and what turns text around. Nothing in it becomes a link: `x[.]example`.
 */
export function quotedLines(words: string): string[] {
  return words
    .split(/[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/[\p{Control}\p{Format}]/gu, '').trim())
    .filter((line) => line !== '')
    .map((line) => `> ${withoutLinks(line)}`);
}

function withoutLinks(line: string): string {
  return line
    .replaceAll('://', '[:]//')
    .replace(/(?<=www)[.\u3002\uff0e\uff61]|[.\u3002\uff0e\uff61](?=\p{L}{2})/giu, '[.]');
}

/** Whether a typed name may be part of a mail: nothing in it becomes a link. */
export function isPlainName(name: string): boolean {
  return !ADDRESS_LIKE.test(name);
}

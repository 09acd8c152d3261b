/** Without any `end` that the text ends with. */
export function withoutEnd(text: string, end: string): string {
  let length = text.length;
  while (text.endsWith(end, length) && length >= end.length) length -= end.length;
  return text.slice(0, length);
}

/** Without a byte order mark, which is no part of a text, and which JSON does not allow. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Normalised for searches: lower case, without accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

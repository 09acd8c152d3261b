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

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null where the bytes are not UTF-8: a sign in the place of a character would alter what was sent. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return null;
  }
}

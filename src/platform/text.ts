/** Without any `end` that the text ends with. */
export function withoutEnd(text: string, end: string): string {
  let length = text.length;
  while (text.endsWith(end, length) && length >= end.length) length -= end.length;
  return text.slice(0, length);
}

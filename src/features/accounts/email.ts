const LONGEST = 254;

/** Addresses are compared and kept like this. */
export function normalEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Whether it may be an address; that it is one, only a mail can tell. Nothing that could end a header line. */
export function isEmail(text: string): boolean {
  return text.length <= LONGEST && /^[^\s@<>()[\],;:"\\]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text);
}

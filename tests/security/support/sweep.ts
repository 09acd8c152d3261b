/** Secrets are looked for in texts, in the ways in which they may be written there. */
import assert from 'node:assert/strict';

/** @returns the names of the secrets that a text shows, but for those that it may */
export function sweepFor(secrets: ReadonlyMap<string, string>) {
  const forms = [...secrets].map(([name, secret]) => {
    assert.ok(secret.length >= 8, `${name}: ${secret}`);
    return { name, written: waysOf(secret) };
  });
  return (text: string, allowed: readonly string[] = []): string[] =>
    forms
      .filter(({ name }) => !allowed.includes(name))
      .filter(({ written }) => written.some((form) => text.includes(form)))
      .map(({ name }) => name);
}

/** Base64 shows a text in one of three ways, by where it begins. */
function waysOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((by) => {
    const whole = Buffer.concat([Buffer.alloc(by), bytes]).toString('base64');
    // Characters that also depend on what is before or behind.
    return whole.slice(by === 0 ? 0 : by + 1, Math.floor(((by + bytes.length) * 8) / 6));
  });
  const inForms = new URLSearchParams({ '': secret }).toString().slice(1);
  return [
    secret,
    bytes.toString('latin1'),
    encodeURIComponent(secret),
    inForms,
    bytes.toString('hex'),
    ...shifted,
  ];
}

/** Forms that are half filled, kept until they are sent or the tab is closed; never a secret. */
import { organizationId } from './client.ts';

type Fields = Readonly<Record<string, string>>;

export function readDraft(name: string): Fields {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}');
  } catch {
    return {};
  }
}

export function writeDraft(name: string, fields: Fields): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify(fields));
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

function keyOf(name: string): string {
  return `${organizationId} ${name}`;
}

import type { KeyboardEvent } from 'react';

/** The arrows go from row to row. */
export function walk(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const list = event.currentTarget.closest('table, ul');
  const openers = [...(list?.querySelectorAll<HTMLButtonElement>('.opener') ?? [])];
  const next = openers[openers.indexOf(event.currentTarget) + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { states, words } from '../../words.ts';
import { TONES } from './tones.ts';

interface AccountBadgeProps {
  readonly state: keyof typeof TONES;
  /** Its first import goes on: it is not up to date yet. */
  readonly isImporting: boolean;
  /** Nothing of it was read yet. */
  readonly isNew: boolean;
}

/** The state of an account. */
export function AccountBadge({ state, isImporting, isNew }: AccountBadgeProps) {
  if (state !== 'ok' || !(isImporting || isNew))
    return <StatusBadge tone={TONES[state]} word={states[state]} />;
  const { importing, first } = words.connections;
  return <StatusBadge tone="busy" word={isImporting ? importing : first} />;
}

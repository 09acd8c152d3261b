import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { states, words } from '../../words.ts';
import { TONES } from './tones.ts';

interface AccountBadgeProps {
  readonly state: keyof typeof TONES;
  /** Its first import goes on: it is not up to date yet. */
  readonly isImporting: boolean;
}

/** The state of an account. */
export function AccountBadge({ state, isImporting }: AccountBadgeProps) {
  return isImporting && state === 'ok' ? (
    <StatusBadge tone="busy" word={words.connections.importing} />
  ) : (
    <StatusBadge tone={TONES[state]} word={states[state]} />
  );
}

import { organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { readinessWords } from './words.ts';

interface Obstacle {
  readonly code: string;
  readonly message: string;
}

/** Of several accounts of a carrier none is chosen: the review asks for one. */
export const SEVERAL_ACCOUNTS = 'carrier_account_ambiguous';

/** What keeps every line from its guide, and for people with the right to it the way to mend it. */
export function ObstacleNote({ obstacle }: { readonly obstacle: Obstacle }) {
  return obstacle.code === SEVERAL_ACCOUNTS ? (
    <p className="note">{readinessWords.severalAccounts}</p>
  ) : (
    <Obstructed obstacle={obstacle} />
  );
}

function Obstructed({ obstacle: { code, message } }: { readonly obstacle: Obstacle }) {
  const calls = useFrame().data?.operations ?? [];
  const isOrigin = code === 'missing_origin';
  const mayMend = calls.includes(isOrigin ? 'logistics.change' : 'connections.connect');
  return (
    <p className="note note-warn">
      {readinessWords.obstacle} {message}{' '}
      {mayMend && (
        <PanelLink address={`/panel/${organizationId}/${isOrigin ? 'ajustes' : 'conexiones'}`}>
          {isOrigin ? readinessWords.settings : readinessWords.connections}
        </PanelLink>
      )}
    </p>
  );
}

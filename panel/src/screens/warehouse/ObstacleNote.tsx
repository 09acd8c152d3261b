import { organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { readinessWords } from './words.ts';

interface Obstacle {
  readonly code: string;
  readonly message: string;
}

/** What keeps every line from its guide, and for people with the right to it the way to mend it. */
export function ObstacleNote({ obstacle: { code, message } }: { readonly obstacle: Obstacle }) {
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

import { organizationId } from '../client.ts';
import { useMay } from '../frame/use-frame.ts';
import { words } from '../words.ts';
import { PanelLink } from './PanelLink.tsx';

/** The way to connect an account, for roles that may. */
export function ConnectLink({ word = words.orders.connect }: { word?: string }) {
  const mayConnect = useMay('connections.connect');
  if (!mayConnect) return null;
  return (
    <PanelLink className="button" address={`/panel/${organizationId}/conexiones`}>
      {word}
    </PanelLink>
  );
}

import type { ReactNode } from 'react';
import { organizationId } from '../client.ts';
import { PanelLink } from './PanelLink.tsx';

/** Leads to the shipment with this number in Envíos. */
export function ShipmentLink({ tracking, children }: { tracking: string; children: ReactNode }) {
  const query = new URLSearchParams({ numero: tracking });
  return <PanelLink address={`/panel/${organizationId}/envios?${query}`}>{children}</PanelLink>;
}

import type { ReactNode } from 'react';
import { organizationId } from '../client.ts';
import { PanelLink } from './PanelLink.tsx';

interface OrderLinkProps {
  /** Ids repeat over marketplaces and accounts: null leaves the choice to Órdenes. */
  readonly order: {
    readonly order_id: string;
    readonly marketplace: string | null;
    readonly account_id: string | null;
  };
  /** The query of the payout that leads to it, for the way back. */
  readonly payout?: URLSearchParams;
  readonly children?: ReactNode;
}

/** Leads to an order in Órdenes; its number where nothing else is said. */
export function OrderLink({ order, payout, children }: OrderLinkProps) {
  const { order_id, marketplace, account_id } = order;
  const query = new URLSearchParams({
    orden: order_id,
    ...(marketplace && { de: marketplace }),
    ...(account_id && { cuenta: account_id }),
    ...(payout && { origen: `${payout}` }),
  });
  return (
    <PanelLink address={`/panel/${organizationId}/ordenes?${query}`}>
      {children ?? order_id}
    </PanelLink>
  );
}

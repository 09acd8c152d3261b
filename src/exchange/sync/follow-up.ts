import type { OrderListener } from '../../features/orders/index.ts';

/** The consequences of storing something. */
export interface StoreParts {
  readonly orderListeners: readonly OrderListener[];
  /** Writes customers' events; left out during a connection's first import. */
  readonly announce: OrderListener;
}

/**
 * The consequences of a change of shipments and orders; a first import causes no customers' events.
 */
export function followUpOf({ orderListeners, announce }: StoreParts, isFirstImport: boolean) {
  return {
    announce: !isFirstImport,
    listeners: isFirstImport ? orderListeners : [...orderListeners, announce],
  };
}

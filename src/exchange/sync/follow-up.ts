import type { OrderListener } from '../../features/orders/index.ts';

/** What is done because something was stored. */
export interface StoreParts {
  readonly orderListeners: readonly OrderListener[];
  /** Writes customers' events; left out during a connection's first import. */
  readonly announce: OrderListener;
}

/** What a change of shipments and orders causes; a first import causes no customers' events. */
export function followUpOf({ orderListeners, announce }: StoreParts, isFirstImport: boolean) {
  return {
    announce: !isFirstImport,
    listeners: isFirstImport ? orderListeners : [...orderListeners, announce],
  };
}

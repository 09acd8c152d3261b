import type { ListenersOf, OrderListener } from '../../features/orders/index.ts';

/** The consequences of storing something. */
export interface StoreParts {
  readonly orderListeners: readonly OrderListener[];
  /** Writes customers' events; left out during a connection's first import. */
  readonly announce: OrderListener;
}

/**
 * The consequences of a change of shipments and orders; a first import causes no customers' events.
 */
export function followUpOf(parts: StoreParts, isFirstImport: boolean) {
  return {
    announce: !isFirstImport,
    listeners: isFirstImport ? parts.orderListeners : listenersOf(parts),
  };
}

/** All listeners: also those that write customers' events. */
export function listenersOf({ orderListeners, announce }: StoreParts): readonly OrderListener[] {
  return [...orderListeners, announce];
}

/** Those of changes that may belong to a first import or not. */
export function listenersByOrigin(parts: StoreParts): ListenersOf {
  return (isBackfill) => followUpOf(parts, isBackfill).listeners;
}

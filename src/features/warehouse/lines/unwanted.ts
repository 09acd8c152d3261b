import type { OrderStatus } from '../../../connectors/contract.ts';
import type { WriteScope } from '../../../platform/db/database.ts';
import { raiseAlert, resolveAlert } from '../../alerts/index.ts';
import type { OrderChange } from '../../orders/index.ts';
import { CANCELLED_PARCEL } from '../alert-kinds.ts';
import { isWanted, type Line, type LineOrder, wanted } from './line.ts';

type Parcel = Pick<Line, 'id' | 'orders' | 'trackingNumber' | 'inTransitAt' | 'transferredAt'>;

/** After these changes of a line's orders: raises or resolves the alert about its parcel. */
export async function updateUnwantedAlert(
  scope: WriteScope,
  line: Parcel,
  changes: readonly OrderChange[],
): Promise<void> {
  const isNeeded = wanted(line.orders).length > 0;
  if (!isNeeded && changes.some(isStoppable)) await warnOfUnwanted(scope, line);
  if (isNeeded && changes.some(({ before }) => before && !isWanted(before)))
    await resolveUnwanted(scope, line.id);
}

/** Whether an order needs its parcel no longer, and the parcel has not come to its buyer. */
function isStoppable({ before, after }: OrderChange): boolean {
  if (before === null || !isWanted(before) || isWanted(after)) return false;
  if (before.status === 'delivered' || before.shipping?.deliveredAt) return false;
  // Refunds and returns of shipped orders follow their delivery or the carrier's own return.
  return before.status !== 'shipped' || after.status === 'cancelled';
}

/** Raises an alert: the parcel is no longer wanted, and has a guide or left already. */
export async function warnOfUnwanted(scope: WriteScope, line: Parcel): Promise<void> {
  const isOut = line.transferredAt !== null || line.inTransitAt !== null;
  if (!isOut && line.trackingNumber === null) return;
  const what = isOut
    ? 'pero su paquete ya salió. Detenlo con la paquetería si todavía se puede.'
    : `pero su guía ${line.trackingNumber} sigue viva. Cancélala para no pagarla.`;
  await raiseAlert(scope, {
    kind: CANCELLED_PARCEL,
    subject: line.id,
    message: `${becameOf(line.orders)}, ${what}`,
  });
}

export async function resolveUnwanted(scope: WriteScope, lineId: string): Promise<void> {
  await resolveAlert(scope, CANCELLED_PARCEL, lineId);
}

/** Of one order and of several. */
const BECAME: Readonly<Partial<Record<OrderStatus, readonly [string, string]>>> = {
  cancelled: ['se canceló', 'se cancelaron'],
  refunded: ['se reembolsó', 'se reembolsaron'],
  returned: ['se devolvió', 'se devolvieron'],
};
const THEIRS = ['la envía el marketplace', 'las envía el marketplace'] as const;
const SEVERAL = ['ya no se envía', 'ya no se envían'] as const;

function becameOf(orders: readonly LineOrder[]): string {
  const [first = SEVERAL, ...others] = new Set(
    orders.map(({ status }) => BECAME[status] ?? THEIRS),
  );
  const [one, many] = others.length > 0 ? SEVERAL : first;
  const ids = orders.map(({ id }) => id).join(', ');
  return orders.length === 1 ? `La orden ${ids} ${one}` : `Las órdenes ${ids} ${many}`;
}

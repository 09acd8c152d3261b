import type { WriteScope } from '../../platform/db/database.ts';
import { raiseAlert, resolveAlert } from '../alerts/index.ts';
import { CANCELLED_PARCEL } from './alert-kinds.ts';
import type { Line } from './line.ts';

/** Raises an alert: the parcel is no longer wanted, and has a guide or left already. */
export async function warnOfUnwanted(
  scope: WriteScope,
  line: Pick<Line, 'id' | 'orders' | 'trackingNumber' | 'inTransitAt' | 'transferredAt'>,
): Promise<void> {
  const isOut = line.transferredAt !== null || line.inTransitAt !== null;
  if (!isOut && line.trackingNumber === null) return;
  const orders = line.orders.map(({ id }) => id).join(', ');
  const what = isOut
    ? 'pero su paquete ya salió. Detenlo con la paquetería si todavía se puede.'
    : `pero su guía ${line.trackingNumber} sigue viva. Cancélala para no pagarla.`;
  await raiseAlert(scope, {
    kind: CANCELLED_PARCEL,
    subject: line.id,
    message: `La orden ${orders} se canceló, ${what}`,
  });
}

export async function settleUnwanted(scope: WriteScope, lineId: string): Promise<void> {
  await resolveAlert(scope, CANCELLED_PARCEL, lineId);
}

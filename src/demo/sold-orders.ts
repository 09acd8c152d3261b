import { ordersOfPeriod } from '../features/orders/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { sha256 } from '../platform/ids.ts';
import { compare, type Decimal, ZERO } from '../platform/money.ts';
import type { Instant } from '../platform/time.ts';

const PERIOD = { hours: 24 * 45 };
const LOOKED_AT = 200;
/** Of so many delivered orders the others wait for an invoice. */
const INVOICED_OF = 3;

export interface Sold {
  readonly id: string;
  readonly total: Decimal;
  /** `2026-11-16T11:59:59`, in Mexico City. */
  readonly at: string;
}

/** Some of the delivered orders of the last weeks. */
export async function ordersToInvoice(
  scope: ReadScope,
  now: Instant,
  timezone: string,
): Promise<Sold[]> {
  const orders = ordersOfPeriod(scope, { from: now.subtract(PERIOD), to: now });
  let looked = 0;
  const found: Sold[] = [];
  for await (const { id, status, total, currency, dateCreated } of orders) {
    if (++looked > LOOKED_AT) break;
    if (status !== 'delivered' || currency !== 'MXN') continue;
    if (total === null || compare(total, ZERO) <= 0 || !isInvoiced(id)) continue;
    const at = dateCreated.toZonedDateTimeISO(timezone).toPlainDateTime();
    found.push({ id, total, at: at.toString({ smallestUnit: 'second' }) });
  }
  return found;
}

/** The same orders each time. */
function isInvoiced(orderId: string): boolean {
  return Number.parseInt(sha256(orderId).slice(0, 8), 16) % INVOICED_OF === 0;
}

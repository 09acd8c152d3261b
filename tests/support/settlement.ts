import type { SourceSettlement } from '../../src/connectors/contract.ts';
import { decimal } from '../../src/platform/money.ts';
import type { Instant } from '../../src/platform/time.ts';

/** A payout in pesos that arrived, of which only the amount is known. */
export function aPayout(id: string, net: string, paidAt: Instant): SourceSettlement {
  return {
    id,
    status: 'paid',
    marketplaceStatus: 'withdrawal',
    currency: 'MXN',
    gross: null,
    fees: null,
    net: decimal(net),
    from: null,
    to: null,
    paidAt,
    reference: null,
    changedAt: null,
    raw: '{}',
  };
}

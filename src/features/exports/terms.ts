import type { Marketplace } from '../../connectors/contract.ts';
import type { OrderView } from '../orders/index.ts';

/** Which rows, and what of them. */
export interface ExportTerms {
  /** Days, both included; null = without that end. */
  readonly from: string | null;
  readonly to: string | null;
  /** Null = of all. */
  readonly marketplace: Marketplace | null;
  /** The only payout whose lines they are, one of that marketplace; null = of all. */
  readonly payout: { readonly accountId: string; readonly id: string } | null;
  readonly view: OrderView;
}

export const WHOLE: ExportTerms = {
  ...{ from: null, to: null, marketplace: null, payout: null },
  view: 'whole',
};

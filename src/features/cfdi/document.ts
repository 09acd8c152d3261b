import type { Marketplace } from '../../connectors/contract.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

export const CFDI_TYPES = ['ingreso', 'egreso', 'traslado', 'pago'] as const;
type CfdiType = (typeof CFDI_TYPES)[number];

/** As the SAT has it. */
export const CFDI_STATUSES = ['vigente', 'cancelado'] as const;
type CfdiStatus = (typeof CFDI_STATUSES)[number];

/**
 * What is known of a document that a marketplace keeps for orders. Null = nobody said it and its
 * XML was not read.
 */
export interface CfdiDocument {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** The marketplace's own identifier. */
  readonly id: string;
  readonly uuid: string | null;
  /** Other types than the four of sellers, such as payroll, are null here. */
  readonly type: CfdiType | null;
  readonly status: CfdiStatus | null;
  readonly issuerRfc: string | null;
  readonly receiverRfc: string | null;
  readonly total: Decimal | null;
  readonly currency: string | null;
  readonly issuedAt: Instant | null;
  readonly firstSeenAt: Instant;
  /** Its place in lists: when it was issued, else when it was first seen. */
  readonly listedAt: Instant;
  readonly fileName: string | null;
  /** Of the XML; null = only its address or a picture of it is to be had. */
  readonly xmlBytes: number | null;
  readonly readAt: Instant | null;
  readonly readFailure: string | null;
  /** In order; those beyond `MOST_ORDERS` are left out. */
  readonly orderIds: readonly string[];
  readonly hasMoreOrders: boolean;
}

/** A global invoice names as many orders as a day or a month had. */
export const MOST_ORDERS = 50;

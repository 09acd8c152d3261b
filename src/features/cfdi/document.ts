import type { Marketplace } from '../../connectors/contract.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

export const CFDI_TYPES = ['ingreso', 'egreso', 'traslado', 'pago'] as const;
type CfdiType = (typeof CFDI_TYPES)[number];

/** The SAT's own terms. */
export const CFDI_STATUSES = ['vigente', 'cancelado'] as const;
type CfdiStatus = (typeof CFDI_STATUSES)[number];

/**
 * The known facts of a document that a marketplace stores for orders. Null = the marketplace does
 * not report it and the XML was not read.
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
  /** The place in lists: the time of issue, else the time when it was first seen. */
  readonly listedAt: Instant;
  readonly fileName: string | null;
  /** Bytes of the XML; null = only its address or an image is available. */
  readonly xmlBytes: number | null;
  readonly readAt: Instant | null;
  readonly readFailure: string | null;
  /** In order; those beyond `MOST_ORDERS` are left out. */
  readonly orderIds: readonly string[];
  readonly hasMoreOrders: boolean;
}

/** A global invoice names as many orders as a day or a month had. */
export const MOST_ORDERS = 50;

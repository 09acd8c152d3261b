import { z } from 'zod';
import {
  hasBillingData,
  KNOWN_CFDI_TYPES,
  KNOWN_SAT_STATUSES,
  listDocumentsOfOrder,
} from '../../../features/cfdi/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';
import { ORDER_INPUT } from './order-input.ts';

const MOST = 20;

const Cfdi = z.object({
  id: z.string(),
  uuid: z.string().nullable(),
  /** Null = its XML was not read. */
  type: z.enum(KNOWN_CFDI_TYPES).nullable(),
  status: z.enum(KNOWN_SAT_STATUSES).nullable(),
  total: z.number().nullable(),
  currency: z.string().nullable(),
  issued_at: z.string().nullable(),
});

/** The invoice documents that are linked to an order. */
export const listCfdisOfOrderOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf(ORDER_INPUT),
  output: z.object({ data: z.array(Cfdi), has_billing_data: z.boolean() }),
  async run({ scope }, { marketplace, accountId, orderId }) {
    const order = { marketplace, accountId, id: orderId };
    const documents = await listDocumentsOfOrder(scope, order, MOST);
    return {
      has_billing_data: await hasBillingData(scope, order),
      data: documents.map((one) => ({
        id: one.id,
        uuid: one.uuid,
        type: one.type,
        status: one.status,
        total: one.total === null ? null : toAmount(one.total),
        currency: one.currency,
        issued_at: one.issuedAt && formatMillis(one.issuedAt),
      })),
    };
  },
});

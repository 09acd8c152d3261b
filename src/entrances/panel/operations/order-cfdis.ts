import { z } from 'zod';
import { hasBillingData, listCfdis } from '../../../features/cfdi/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { isStorableText } from '../../../platform/json.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';

const MOST = 20;
const LONGEST_ID = 500;
const order_id = z
  .string()
  .min(1)
  .max(LONGEST_ID)
  .refine(isStorableText, 'tiene caracteres que no son texto.')
  .meta({ description: 'La orden.', examples: ['2000009876543210'] });
const ANY = {
  ...{ from: null, to: null, type: null, direction: null, status: null },
  ...{ uuid: null, rfc: null },
};

const Cfdi = z.object({
  id: z.string(),
  uuid: z.string().nullable(),
  /** Null = its XML was not read. */
  type: z.string().nullable(),
  status: z.string().nullable(),
  total: z.number().nullable(),
  currency: z.string().nullable(),
  issued_at: z.string().nullable(),
});

/** The invoice documents that are linked to an order. */
export const listCfdisOfOrderOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({ order_id }),
  output: z.object({ data: z.array(Cfdi), has_billing_data: z.boolean() }),
  async run({ scope, cursors }, { orderId }) {
    const page = { limit: MOST, cursor: null };
    const { documents } = await listCfdis(scope, cursors, { ...ANY, ...page, orderId });
    return {
      has_billing_data: await hasBillingData(scope, orderId),
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

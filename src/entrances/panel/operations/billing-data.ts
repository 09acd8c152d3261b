import { z } from 'zod';
import { viewBillingData } from '../../../features/cfdi/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineWrite } from '../operation.ts';
import { ORDER_INPUT } from './order-input.ts';

/** What the buyer of an order gave for its invoice. A write: the trail notes each view. */
export const viewBillingDataOperation = defineWrite({
  action: 'read_money',
  capability: null,
  isOpenAfterTrial: true,
  input: inputOf(ORDER_INPUT),
  output: z.object({
    name: z.string().nullable(),
    rfc: z.string(),
    regime: z.string().nullable(),
    cfdi_use: z.string().nullable(),
    street: z.string().nullable(),
    neighborhood: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    zipcode: z.string().nullable(),
  }),
  async run({ database, by }, { marketplace, accountId, orderId }) {
    const order = { marketplace, accountId, id: orderId };
    const { cfdiUse: cfdi_use, ...data } = await database.write((scope) =>
      viewBillingData(scope, by, order),
    );
    return { ...data, cfdi_use };
  },
});

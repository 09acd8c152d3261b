import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { viewBillingData } from '../../../features/cfdi/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { isStorableText } from '../../../platform/json.ts';
import { defineWrite } from '../operation.ts';

const named = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(500)
    .refine(isStorableText, 'tiene caracteres que no son texto.')
    .meta({ description, examples: [example] });

/** What the buyer of an order gave for its invoice. A write: the trail notes each view. */
export const viewBillingDataOperation = defineWrite({
  action: 'read_money',
  capability: null,
  input: inputOf({
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'Dónde se vendió.', examples: [MARKETPLACES[0]] }),
    account_id: named('La cuenta.', '468424241'),
    order_id: named('La orden.', '2000009876543210'),
  }),
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

import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { named } from './named-field.ts';

/** The whole identity of an order: another account may have an order of the same number. */
export const ORDER_INPUT = {
  marketplace: z
    .enum(MARKETPLACES)
    .meta({ description: 'Dónde se vendió.', examples: [MARKETPLACES[0]] }),
  account_id: named('La cuenta.', '468424241'),
  order_id: named('La orden.', '2000009876543210'),
};

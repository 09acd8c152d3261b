import { z } from 'zod';
import { isSample, makeSample, removeSample } from '../../../features/samples/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { addressOf } from '../../navigation.ts';
import { defineWrite } from '../operation.ts';

/** Makes an organisation with sample orders: a person sees them before their own. */
export const makeSampleOperation = defineWrite({
  action: 'manage_connections',
  capability: null,
  input: inputOf({}),
  output: z.object({ address: z.string() }),
  async run({ database, exchange, by }) {
    const { orderListeners } = exchange;
    const id = await database.write((scope) => makeSample(scope, by, orderListeners));
    return { address: addressOf('home', id) };
  },
});

/** Erases the sample that the caller looks at. */
export const removeSampleOperation = defineWrite({
  action: 'manage_organization',
  capability: null,
  isOpenAfterTrial: true,
  input: inputOf({}),
  output: z.object({
    /** False for an organisation that is no sample: nothing is removed. */
    is_removed: z.boolean(),
  }),
  async run({ database, exchange, organization }) {
    if (!(await database.write(isSample))) return { is_removed: false };
    await removeSample(exchange.database, exchange.clock, organization.id);
    return { is_removed: true };
  },
});

import { z } from 'zod';
import { findService, SERVICES } from '../../../carriers/registry.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const STATES = ['ok', 'delayed', 'reauth_required', 'error', 'disconnected'] as const;

const Account = z.object({
  service: z.enum(SERVICES),
  account_id: z.string(),
  name: z.string(),
  state: z.enum(STATES),
  /** What is wrong and what to do. */
  state_message: z.string().nullable(),
  /** Null = never. */
  last_sync_at: z.string().nullable(),
});

/** Every service, in the product's order, and the organisation's accounts there. */
export const listConnectionsOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({}),
  output: z.object({
    services: z.array(z.object({ service: z.enum(SERVICES), name: z.string() })),
    data: z.array(Account),
  }),
  async run({ scope, freshness }) {
    const accounts = await freshness.get(scope, null);
    return {
      services: SERVICES.map((service) => ({
        service,
        name: findService(service)?.name ?? service,
      })),
      data: accounts.map((account) => ({
        service: account.service,
        account_id: account.accountId,
        name: account.name,
        state: account.state,
        state_message: account.stateMessage,
        last_sync_at: account.lastSyncAt && formatMillis(account.lastSyncAt),
      })),
    };
  },
});

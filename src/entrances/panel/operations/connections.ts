import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { SERVICES, serviceName } from '../../../carriers/registry.ts';
import type { Marketplace } from '../../../connectors/contract.ts';
import { findConnector } from '../../../connectors/registry.ts';
import { CONNECTION_STATES } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const Account = z.object({
  service: z.enum(SERVICES),
  account_id: z.string(),
  name: z.string(),
  state: z.enum(CONNECTION_STATES),
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
    services: z.array(
      z.object({
        service: z.enum(SERVICES),
        name: z.string(),
        is_carrier: z.boolean(),
        /** The seller's own shop, not a marketplace. */
        is_own_shop: z.boolean(),
        /** Whether it tells what the seller earned of an order. */
        tells_net: z.boolean(),
      }),
    ),
    data: z.array(Account),
  }),
  async run({ scope, freshness }) {
    const accounts = await freshness.get(scope, null);
    return {
      services: SERVICES.map((service) => ({
        service,
        name: serviceName(service),
        is_carrier: (CARRIERS as readonly string[]).includes(service),
        ...moneyFactsOf(service),
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

function moneyFactsOf(service: (typeof SERVICES)[number]) {
  const connector = findConnector(service as Marketplace);
  return {
    is_own_shop: connector?.facts.isOwnShop ?? false,
    tells_net: connector?.settlements !== undefined,
  };
}

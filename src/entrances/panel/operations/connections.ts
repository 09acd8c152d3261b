import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { SERVICES, serviceName } from '../../../carriers/registry.ts';
import { type Marketplace, STREAMS } from '../../../connectors/contract.ts';
import { findConnector } from '../../../connectors/registry.ts';
import { factsOf } from '../../../exchange/streams.ts';
import { CONNECTION_STATES, connectionOverviews } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const STREAM_ORDER: readonly string[] = STREAMS;

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

/** Each account with what was read of it, for roles that manage connections. */
export const connectionOverviewOperation = defineRead({
  action: 'manage_connections',
  capability: null,
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        service: z.enum(SERVICES),
        account_id: z.string(),
        name: z.string(),
        state: z.enum(CONNECTION_STATES),
        state_message: z.string().nullable(),
        streams: z.array(
          z.object({
            stream: z.enum(STREAMS),
            title: z.string(),
            /** Rows read since the account was connected. */
            items: z.int(),
            last_sync_at: z.string().nullable(),
            is_under_way: z.boolean(),
            set_aside: z.int(),
          }),
        ),
      }),
    ),
  }),
  async run({ scope }) {
    const overviews = await connectionOverviews(scope);
    return {
      data: overviews.map(({ id, service, accountId, name, state, stateMessage, streams }) => ({
        id,
        service,
        account_id: accountId,
        name,
        state,
        state_message: stateMessage,
        streams: streams
          .toSorted((a, b) => STREAM_ORDER.indexOf(a.stream) - STREAM_ORDER.indexOf(b.stream))
          .map((stream) => ({
            stream: stream.stream,
            title: factsOf(stream.stream).title,
            items: stream.items,
            last_sync_at: stream.lastSyncAt && formatMillis(stream.lastSyncAt),
            is_under_way: stream.isUnderWay,
            set_aside: stream.setAside,
          })),
      })),
    };
  },
});

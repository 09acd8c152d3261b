/** Webhook subscriptions, by the queries and mutations that the application makes. */
import { type ListArgs, pageOf, QueryError } from './graphql.ts';

export interface Subscription {
  readonly id: string;
  readonly topic: string;
  uri: string;
}

function scopeOf(topic: string): string {
  const [thing] = topic.split('_');
  const scopes: Readonly<Record<string, string>> = {
    FULFILLMENTS: 'read_fulfillments',
    RETURNS: 'read_returns',
    INVENTORY: 'read_inventory',
  };
  return scopes[thing ?? ''] ?? 'read_orders';
}

/** `nextNumber` is never the same twice; ids are made of it. */
export function openSubscriptions(nextNumber: () => number, isGranted: (scope: string) => boolean) {
  let subscriptions: Subscription[] = [];

  const isTaken = (topic: string, uri: string) =>
    subscriptions.some((one) => one.topic === topic && one.uri === uri);
  const TAKEN = {
    userErrors: [
      { field: ['webhookSubscription'], message: 'Address for this topic has already been taken' },
    ],
  };

  const NOT_ALLOWED = {
    webhookSubscription: null,
    userErrors: [
      {
        field: ['topic'],
        message: 'You cannot create a webhook subscription with the specified topic',
      },
    ],
  };

  const queries = {
    webhookSubscriptions: (args: ListArgs) => pageOf(subscriptions, ({ id }) => id, args),
  };
  const mutations = {
    webhookSubscriptionCreate: ({
      topic,
      webhookSubscription: { uri },
    }: {
      topic: string;
      webhookSubscription: { uri: string };
    }) => {
      if (isTaken(topic, uri)) return TAKEN;
      if (!isGranted(scopeOf(topic))) return NOT_ALLOWED;
      const id = `gid://shopify/WebhookSubscription/${String(nextNumber()).padStart(12, '0')}`;
      subscriptions.push({ id, topic, uri });
      return { userErrors: [] };
    },
    webhookSubscriptionUpdate: ({
      id,
      webhookSubscription: { uri },
    }: {
      id: string;
      webhookSubscription: { uri: string };
    }) => {
      const found = subscriptions.find((one) => one.id === id);
      if (!found) throw new QueryError('invalid id', 'RESOURCE_NOT_FOUND');
      found.uri = uri;
      return { userErrors: [] };
    },
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      if (!subscriptions.some((one) => one.id === id))
        return { userErrors: [{ field: ['id'], message: 'Webhook subscription does not exist' }] };
      subscriptions = subscriptions.filter((one) => one.id !== id);
      return { deletedWebhookSubscriptionId: id, userErrors: [] };
    },
  };

  return {
    all: (): readonly Subscription[] => subscriptions,
    keep: (isKept: (one: Subscription) => boolean) => {
      subscriptions = subscriptions.filter(isKept);
    },
    queries,
    mutations,
  };
}

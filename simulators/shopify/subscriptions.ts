/** Webhook subscriptions, by the queries and mutations that the application makes. */
import { type ListArgs, pageOf, QueryError } from './graphql.ts';

export interface Subscription {
  readonly id: string;
  readonly topic: string;
  uri: string;
}

/** `nextNumber` is never the same twice; ids are made of it. */
export function openSubscriptions(nextNumber: () => number) {
  let subscriptions: Subscription[] = [];

  const isTaken = (topic: string, uri: string) =>
    subscriptions.some((one) => one.topic === topic && one.uri === uri);
  const TAKEN = {
    userErrors: [
      { field: ['webhookSubscription'], message: 'Address for this topic has already been taken' },
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

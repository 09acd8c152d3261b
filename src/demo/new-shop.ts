/** How a person begins a shop of their own with the simulated accounts. */
import { findService } from '../carriers/registry.ts';
import type { SimulatedShop } from './simulators.ts';

export interface NewShop {
  /** The marketplace where a consent needs no typing; null = there is none. */
  readonly consent: string | null;
  /** What a person types at another one, by the labels of its form; null = there is none. */
  readonly typing: {
    readonly name: string;
    readonly fields: readonly { readonly label: string; readonly value: string }[];
  } | null;
}

/** The settings of the operator's application where sellers consent. */
export function applicationOf(shops: readonly SimulatedShop[]): Record<string, string> {
  const shop = shops.find(({ role }) => role === 'consent');
  const { client_id: id, client_secret: secret } = credentialsOf(shop);
  if (!shop || !id || !secret) return {};
  const prefix = shop.service.toUpperCase();
  return { [`${prefix}_CLIENT_ID`]: id, [`${prefix}_CLIENT_SECRET`]: secret };
}

export function startOfShop(shops: readonly SimulatedShop[]): NewShop {
  const consents = shops.find(({ role }) => role === 'consent');
  const typed = shops.find(({ role }) => role === 'typing');
  const service = typed && findService(typed.service);
  const credentials = credentialsOf(typed);
  const fields = service?.auth.form?.fields.flatMap(({ name, label }) => {
    const value = credentials[name];
    return value === undefined ? [] : [{ label, value }];
  });
  return {
    consent: (consents && findService(consents.service)?.name) ?? null,
    typing: service && fields ? { name: service.name, fields } : null,
  };
}

function credentialsOf(shop: SimulatedShop | undefined): Readonly<Record<string, string>> {
  return { ...(shop?.credentials as Record<string, string> | undefined) };
}

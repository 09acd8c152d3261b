/** Accounts with their webhooks, and shipments. */
import { type Call, Refusal, type Reply, type Routes } from '../http.ts';
import {
  type Account,
  accountDocument,
  longDocument,
  pageOf,
  pdfOf,
  shortDocument,
  trackingDocument,
  zplOf,
} from './documents.ts';
import { setState } from './own-fleet.ts';
import { type Parcel, type Parcels, stateOf } from './parcels.ts';
import type { Webhooks } from './webhooks.ts';

interface ZipnovaShop {
  readonly accounts: readonly Account[];
  readonly parcels: Parcels;
  readonly webhooks: Webhooks;
  now(): number;
  /** Throws the documented refusal. */
  admit(call: Call): void;
  /** Of the server, which listens before it is asked. */
  urlOf(): string;
}

const CANCELLABLE = ['new', 'documentation_ready', 'ready_to_ship'];
export const UNAUTHORIZED: Reply = { status: 401, body: { message: 'Unauthenticated.' } };
export const MISSING: Reply = { status: 404, body: { status: 'error', message: 'Not Found' } };

/** Throws the documented refusal unless the call brings the secrets. */
export function admit(
  { headers }: Call,
  { api_token, api_secret }: { api_token: string; api_secret: string },
): void {
  const wanted = `Basic ${Buffer.from(`${api_token}:${api_secret}`).toString('base64')}`;
  if (headers.authorization !== wanted) throw new Refusal(UNAUTHORIZED);
  if (!headers.accept?.includes('application/json')) throw new Refusal({ status: 406, body: '' });
}

export function accountRoutes(shop: ZipnovaShop): Routes {
  const { accounts, webhooks, urlOf } = shop;
  const behind = guarded(shop);
  const accountOf = (call: Call) =>
    accounts.find(({ id }) => String(id) === call.params.id) ?? refuse();
  const hookOf = (call: Call) =>
    webhooks.registered.find(({ id }) => String(id) === call.params.hook) ?? refuse();
  return {
    'GET /v2/accounts': behind((call) => ({
      body: pageOf(call, urlOf(), accounts.map(accountDocument)),
    })),
    'GET /v2/accounts/:id': behind((call) => {
      const account = accountOf(call);
      const reported = account.balance && { balance: { ...account.balance, currency: 'MXN' } };
      return { body: { ...accountDocument(account), ...reported } };
    }),
    'GET /v2/accounts/:id/webhooks': behind((call) => {
      const { id } = accountOf(call);
      const own = webhooks.registered.filter((hook) => hook.account_id === id);
      return { body: pageOf(call, urlOf(), own) };
    }),
    'POST /v2/accounts/:id/webhooks': behind((call) => {
      const { topic, url } = call.json() as { topic: string; url: string };
      return { status: 201, body: webhooks.register(accountOf(call).id, topic, url) };
    }),
    'PUT /v2/accounts/:id/webhooks/:hook': behind((call) => {
      const hook = hookOf(call);
      hook.url = (call.json() as { url: string }).url;
      return { body: hook };
    }),
    'DELETE /v2/accounts/:id/webhooks/:hook': behind((call) => {
      webhooks.registered.splice(webhooks.registered.indexOf(hookOf(call)), 1);
      return { status: 204 };
    }),
  };
}

export function shipmentRoutes(shop: ZipnovaShop): Routes {
  const { parcels, now, urlOf } = shop;
  const behind = guarded(shop);
  const ofParcel = (work: (call: Call, parcel: Parcel) => Reply) =>
    behind((call) => work(call, parcels.find(Number(call.params.id)) ?? refuse()));
  return {
    'GET /v2/shipments': behind((call) => ({
      body: pageOf(call, urlOf(), listed(call, parcels, now())),
    })),
    'GET /v2/shipments/:id': ofParcel((_, parcel) => ({ body: longDocument(parcel, now()) })),
    'GET /v2/shipments/:id/tracking': ofParcel((call, parcel) => ({
      body: trackingDocument(parcel, now(), call.query.get('sort')),
    })),
    'POST /v2/shipments/:id/tracking': ofParcel((call, parcel) => {
      setState(call, parcel, parcels);
      return { body: longDocument(parcels.find(parcel.id) as Parcel, now()) };
    }),
    'GET /v2/shipments/:id/documentation': ofParcel((call, parcel) => {
      const format = call.query.get('format') === 'zpl' ? 'zpl' : 'pdf';
      const bytes = format === 'zpl' ? Buffer.from(zplOf(parcel)) : pdfOf(parcel);
      return { body: { format, body: bytes.toString('base64') } };
    }),
    'POST /v2/shipments/:id/cancel': ofParcel((_, parcel) => {
      const state = stateOf(parcel, now()).code;
      if (!CANCELLABLE.includes(state))
        return { status: 401, body: { shipment_id: parcel.id, success: false, result: null } };
      parcels.move(parcel.id, 'cancelled');
      return { body: { shipment_id: parcel.id, success: true, result: 'canceled' } };
    }),
  };
}

function guarded(shop: ZipnovaShop) {
  return (work: (call: Call) => Reply | Promise<Reply>) => (call: Call) => {
    shop.admit(call);
    return work(call);
  };
}

function listed({ query }: Call, parcels: Parcels, now: number) {
  const account = query.get('account_id');
  const rows = parcels.all(account === null ? undefined : Number(account));
  const state = query.get('status');
  const reference = query.get('external_id');
  const order = query.get('order_id');
  return rows
    .filter((parcel) => state === null || stateOf(parcel, now).code === state)
    .filter((parcel) => reference === null || parcel.externalId === reference)
    .filter((parcel) => order === null || parcel.relations.some((one) => one.order_id === order))
    .map((parcel) => shortDocument(parcel, now));
}

function refuse(): never {
  throw new Refusal(MISSING);
}

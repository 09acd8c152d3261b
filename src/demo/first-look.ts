import type { App } from '../app/app.ts';
import { StartError } from '../app/runtime.ts';

export interface FirstLook {
  readonly orders: number;
  readonly hasMore: boolean;
  /** From here on changes can be followed. */
  readonly asOf: string;
}

/**
 * The first page of `GET /v1/orders`, requested over HTTP as a customer does.
 * @throws StartError when the API refuses, for instance because the plan was changed to one without
 * it
 */
export async function lookAtOrders({ url, exchange }: App, apiKey: string): Promise<FirstLook> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { body } = await exchange.network.send(
    { method: 'GET', url: `${url}/v1/orders?limit=100`, headers },
    { addresses: 'any', timeoutMilliseconds: 10_000, maximumBytes: 4 * 1024 * 1024 },
  );
  const { data, pagination, meta, error } = JSON.parse(body);
  if (error) throw new StartError(`La API no entrega las órdenes: ${error.message}`);
  return { orders: data.length, hasMore: pagination.has_more, asOf: meta.as_of };
}

import type { Network } from '../../platform/network.ts';

const WITHIN_MS = 2_500;
const MOST_BYTES = 5 * 1024;
/** Statuses whose answer has no body. */
const EMPTY = new Set([101, 204, 205, 304]);

/**
 * How the authorization server reads the documents in which clients describe themselves. Clients
 * may name any address, so no inward address is ever connected to.
 * @param standIn scheme, host and port that stand for every host, where the operator said so; tests
 * do
 */
export function documentReader(network: Network, standIn: string | null) {
  return async (input: string | URL | Request): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { status, headers, body } = await network.send(
      {
        method: 'GET',
        url: standIn ? `${standIn}${url.pathname}${url.search}` : url.href,
        headers: { accept: 'application/json' },
      },
      {
        addresses: standIn ? 'any' : 'public',
        timeoutMilliseconds: WITHIN_MS,
        maximumBytes: MOST_BYTES,
      },
    );
    const { 'content-encoding': _, 'content-length': __, ...kept } = headers;
    return new Response(EMPTY.has(status) ? null : body, { status, headers: kept });
  };
}

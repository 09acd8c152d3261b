import type { CallRequest, Rate, Service } from '../../connectors/contract.ts';
import type { Route } from '../../platform/breaker-states.ts';
import type { Caller } from './call-state.ts';

type Target = Pick<Caller<unknown>, 'baseUrl' | 'hostUrls'>;
type Limited = Pick<Service<unknown>, 'slug' | 'rates'>;

/** Where a request goes; a simulator's address replaces scheme, host and port. */
export function urlOf<Credentials>(
  caller: Caller<Credentials>,
  request: CallRequest,
  used: Credentials,
): URL {
  const name = request.host ?? 'default';
  const url = replaced(caller, name, new URL(hostOf(caller, name, used)));
  url.pathname = url.pathname.replace(/\/$/, '') + request.path;
  for (const [key, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value));
  return url;
}

/** The path through the circuit breakers. */
export function routeOf(
  { connector, lane }: { readonly connector: Limited; readonly lane: string },
  { origin }: URL,
): Route {
  return { origin, lane, service: connector.slug };
}

export function rateOf({ connector }: { readonly connector: Limited }, request: CallRequest): Rate {
  return connector.rates[request.rate ?? 'default'] ?? connector.rates.default;
}

/** The throttle's lane: one a connection, or one for the server where the limit is shared. */
export function laneOf(
  caller: { readonly connector: Limited; readonly lane: string },
  request: CallRequest,
): string {
  const owner = rateOf(caller, request).shared === 'server' ? 'server' : caller.lane;
  return `${caller.connector.slug}:${owner}:${request.rate ?? 'default'}`;
}

function replaced({ baseUrl, hostUrls }: Target, name: string, own: URL): URL {
  const other = hostUrls?.[name] ?? baseUrl;
  return other ? new URL(own.pathname, other) : own;
}

function hostOf<Credentials>(
  { connector }: Caller<Credentials>,
  name: string,
  used: Credentials,
): string {
  if (name.startsWith('https://')) return name;
  const hosts: Readonly<Record<string, string>> = connector.auth.hosts(used);
  return (hosts[name] ?? hosts.default) as string;
}

import { isLoopback } from './redirect-policy.ts';

/** Where an agent gets its answer, as shown to a person. */
export interface Redirect {
  /** A host, or the scheme of an application. */
  readonly name: string;
  readonly kind: 'site' | 'computer' | 'application';
  /** The policy source that lets a form end there. */
  readonly formTarget: string;
}

/** @param host of an agreement, as `Redirect.name` */
export function isOnComputer(host: string): boolean {
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopback(url);
}

/** @param uri one that the client registered */
export function redirectOf(uri: string): Redirect {
  const url = new URL(uri);
  if (url.protocol === 'https:') return { name: url.host, kind: 'site', formTarget: url.origin };
  if (isLoopback(url))
    return {
      name: url.host,
      kind: 'computer',
      // There is no way to write an IPv6 address there.
      formTarget: url.hostname.startsWith('[') ? 'http:' : url.origin,
    };
  return { name: url.protocol, kind: 'application', formTarget: url.protocol };
}

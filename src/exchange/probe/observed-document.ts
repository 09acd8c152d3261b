import { isRawNumber } from '../../platform/json.ts';
import { withoutEnd } from '../../platform/text.ts';

/**
 * The fields that a reader took from a document, by path. Elements of a list share one path,
 * `orders[].id`.
 */
interface Reading {
  /** In the document, and never read. */
  readonly unread: ReadonlySet<string>;
  /** Read, and in no place of the document where it could be. */
  readonly missing: ReadonlySet<string>;
}

export interface Observed {
  /** Reads like the document. */
  readonly document: unknown;
  reading(): Reading;
}

/**
 * Records which fields a connector reads of a document. An enumeration of all fields, as by
 * `JSON.stringify` and `for … in`, is no reading.
 */
export function observe(given: unknown): Observed {
  const read = new Set<string>();
  const missed = new Set<string>();
  const proxies = new WeakMap<object, unknown>();

  function watch(value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
    const known = proxies.get(value);
    if (known) return known;
    const proxy = new Proxy(
      value,
      Array.isArray(value) ? listHandler(path) : objectHandler(value, path),
    );
    proxies.set(value, proxy);
    return proxy;
  }

  function listHandler(path: string): ProxyHandler<object> {
    return {
      get: (list, key, receiver) => {
        if (key === 'toJSON') return () => list;
        return watch(Reflect.get(list, key, receiver), `${path}[]`);
      },
    };
  }

  function objectHandler(document: object, path: string): ProxyHandler<object> {
    const paths = new Map<string, string>();
    let enumerated: string | null = null;
    const pathOf = (key: string) => {
      const known = paths.get(key) ?? (path === '' ? key : `${path}.${key}`);
      paths.set(key, known);
      return known;
    };
    return {
      get(_, key, receiver) {
        if (key === 'toJSON') return () => document;
        const value = Reflect.get(document, key, receiver);
        if (typeof key !== 'string') return value;
        const isEnumeration = enumerated === key;
        enumerated = null;
        if (!isEnumeration) (key in document ? read : missed).add(pathOf(key));
        return watch(value, pathOf(key));
      },
      getOwnPropertyDescriptor(_, key) {
        enumerated = typeof key === 'string' ? key : null;
        return Reflect.getOwnPropertyDescriptor(document, key);
      },
    };
  }

  return {
    document: watch(given, ''),
    reading: () => ({
      unread: new Set(
        [...pathsOf(given, '')].filter((path) => !read.has(path) && isInReadPart(path, read)),
      ),
      missing: new Set([...missed].filter((path) => !read.has(path))),
    }),
  };
}

/** An unread part is reported once, without its own fields. */
function isInReadPart(path: string, read: ReadonlySet<string>): boolean {
  const end = path.lastIndexOf('.');
  const part = withoutEnd(end === -1 ? '' : path.slice(0, end), '[]');
  return part === '' || read.has(part);
}

function* pathsOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return;
  if (Array.isArray(value)) {
    for (const element of value) yield* pathsOf(element, `${path}[]`);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const own = path === '' ? key : `${path}.${key}`;
    yield own;
    yield* pathsOf(inner, own);
  }
}

import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';
import { sha256 } from '../../platform/ids.ts';

const SESSION = 'session';

// biome-ignore lint/suspicious/noExplicitAny: the adapter's own constraint
type Values = Record<string, any>;

interface Creation<T> {
  readonly model: string;
  readonly data: Omit<T, 'id'>;
}

/**
 * Sessions are stored by the SHA-256 of their token, and the token is in the cookie alone. The
 * library has no setting for it, so its database adapter is wrapped: a token is hashed in each
 * query, and put back into the rows.
 */
export const hashedTokens = {
  id: 'hashed-tokens',
  init: ({ adapter }: { adapter: DBAdapter }) => ({ context: { adapter: hashing(adapter) } }),
};

function hashing(adapter: DBAdapter): DBAdapter {
  return {
    ...hashingInside(adapter),
    transaction: (work) => adapter.transaction((inner) => work(hashingInside(inner))),
  };
}

function hashingInside(adapter: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...adapter,
    create: async <T extends Values, R = T>(asked: Creation<T>): Promise<R> => {
      const { token }: Values = asked.data;
      if (asked.model !== SESSION || typeof token !== 'string') return adapter.create<T, R>(asked);
      const made = await adapter.create<T, R>({
        ...asked,
        data: { ...asked.data, token: sha256(token) },
      });
      return { ...made, token };
    },
    findOne: (asked) => byHash(asked, (hashed) => adapter.findOne(hashed)),
    findMany: (asked) => byHash(asked, (hashed) => adapter.findMany(hashed)),
    count: (asked) => byHash(asked, (hashed) => adapter.count(hashed)),
    update: (asked) => byHash(asked, (hashed) => adapter.update(hashed)),
    updateMany: (asked) => byHash(asked, (hashed) => adapter.updateMany(hashed)),
    delete: (asked) => byHash(asked, (hashed) => adapter.delete(hashed)),
    deleteMany: (asked) => byHash(asked, (hashed) => adapter.deleteMany(hashed)),
    consumeOne: (asked) => byHash(asked, (hashed) => adapter.consumeOne(hashed)),
    incrementOne: (asked) => byHash(asked, (hashed) => adapter.incrementOne(hashed)),
  };
}

/** Queries by the hashes of the given tokens. */
async function byHash<Asked extends { model: string; where?: Where[] | undefined }, Result>(
  asked: Asked,
  ask: (hashed: Asked) => Promise<Result>,
): Promise<Result> {
  if (asked.model !== SESSION || !asked.where) return ask(asked);
  const tokens = new Map<unknown, string>();
  const hashOf = (token: unknown) => {
    const hash = sha256(String(token));
    tokens.set(hash, String(token));
    return hash;
  };
  const where = asked.where.map((one) => {
    if (one.field !== 'token') return one;
    return { ...one, value: Array.isArray(one.value) ? one.value.map(hashOf) : hashOf(one.value) };
  });
  return withTokens(await ask({ ...asked, where }), tokens);
}

/** Puts the tokens of the query back into the rows. */
function withTokens<Result>(result: Result, tokens: ReadonlyMap<unknown, string>): Result {
  if (Array.isArray(result)) return result.map((row) => withTokens(row, tokens)) as Result;
  if (typeof result !== 'object' || result === null || !('token' in result)) return result;
  return { ...result, token: tokens.get(result.token) ?? result.token };
}

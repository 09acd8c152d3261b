import { after, type TestContext } from 'node:test';
import type { Order } from '../../../src/features/orders/index.ts';
import type { Organization } from '../../../src/features/organizations/index.ts';
import type { Plan } from '../../../src/features/plans/index.ts';
import type { ApiAnswer, ApiOptions, TestApp } from '../../support/app.ts';

/** An organisation of a test's own in the file's instance. */
export interface Shop {
  readonly organization: Organization;
  readonly key: string;
  readonly keyId: string;
  record(...orders: Order[]): Promise<{ changed: number; unchanged: number }>;
  get(
    path: string,
    query?: Record<string, string | number>,
    options?: ApiOptions,
  ): Promise<ApiAnswer>;
  /** The orders of a list's first page. */
  // biome-ignore lint/suspicious/noExplicitAny: as the API gave them
  orders(query?: Record<string, string | number>): Promise<any[]>;
  /** The ids of a list's first page. */
  ids(query?: Record<string, string | number>): Promise<string[]>;
  /** Every page of a list. */
  walk(
    query?: Record<string, string | number>,
    between?: () => Promise<unknown>,
  ): Promise<ApiAnswer[]>;
}

/** What is opened for this lasts until the file's last test. */
export const WHOLE_FILE: Pick<TestContext, 'after'> = {
  after: (close) => after(close as () => void),
};

const MOST_PAGES = 50;

export async function openShop(instance: TestApp, plan: Plan = 'intermedio'): Promise<Shop> {
  const { organization, key, keyId } = await instance.tenant(plan);
  const get: Shop['get'] = (path, query, options) => instance.api(path, query, { key, ...options });
  const orders: Shop['orders'] = async (query) => {
    const { status, text, body } = await get('/v1/orders', query);
    if (status !== 200) throw new Error(text);
    return body.data;
  };
  return {
    organization,
    key,
    keyId,
    get,
    orders,
    record: (...given) => instance.record(given, organization.id),
    ids: async (query) => (await orders(query)).map(({ id }) => id),
    walk: async (query = {}, between) => {
      const pages: ApiAnswer[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await get('/v1/orders', cursor === '' ? query : { ...query, cursor });
        if (page.status !== 200) throw new Error(page.text);
        pages.push(page);
        cursor = page.body.pagination.next_cursor;
        if (pages.length > MOST_PAGES) throw new Error('the walk does not end');
        await between?.();
      }
      return pages;
    },
  };
}

export function idsOf(pages: readonly ApiAnswer[]): string[] {
  return pages.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id));
}

/** Asserts on an error's code, and returns it whole. */
export function errorOf({ body, status, text }: ApiAnswer, expected: string): ErrorBody {
  const [wantedStatus, code] = expected.split(' ');
  if (status !== Number(wantedStatus) || body?.error?.code !== code)
    throw new Error(`expected ${expected}, got ${status} ${text.slice(0, 300)}`);
  return body.error;
}

/** How a sentence of ours begins and ends. */
export const SPANISH =
  /^(Demasiados|El|Esta|Este|Falta|Hay|La|Llegaste|Los|No|Ocurrió|Por|Tu|Ya) [a-záéíóúñ].*[.?]$/;

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly details?: Record<string, unknown>;
  readonly doc_url?: string;
}

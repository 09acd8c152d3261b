import { invalid } from '../../platform/failure.ts';
import type { Call } from '../contract.ts';
import { ask } from './ask.ts';
import { type Shop, Shops } from './wire.ts';

/** The shops that a permission covers: the cheapest call that proves a token. */
export async function askShops(call: Call<unknown>): Promise<readonly Shop[]> {
  const { shops } = await ask(call, { method: 'GET', path: '/authorization/202309/shops' }, Shops);
  return shops ?? [];
}

/**
 * One connection is one shop: the one that is named, else the only one, else the only one in
 * Mexico.
 * @throws Failure invalid_request
 */
export function chooseShop(shops: readonly Shop[], wanted: string | undefined): Shop {
  const named = shops.filter(({ id }) => id === wanted);
  const mexican = shops.filter(({ region }) => region === 'MX');
  const [shop, another] = wanted ? named : shops.length === 1 ? shops : mexican;
  if (shop && !another) return shop;
  if (wanted) throw invalid('shop_id', `El permiso no incluye la tienda ${wanted}.`);
  if (shops.length === 0)
    throw invalid('shop_id', 'El permiso no incluye ninguna tienda de TikTok Shop.');
  const names = shops
    .map(({ name, id, region }) => `${name ?? id} (${region ?? '?'}, ${id})`)
    .join('; ');
  throw invalid(
    'shop_id',
    `El permiso incluye varias tiendas y ${another ? 'más de una' : 'ninguna'} es de México: ${names}. ` +
      'Da permiso a una sola, o escribe su shop_id.',
  );
}

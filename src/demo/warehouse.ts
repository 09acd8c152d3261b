import type { App } from '../app/app.ts';
import type { Organization } from '../features/organizations/index.ts';
import {
  type Actor,
  changeSettings,
  listLines,
  logisticsSettings,
  recordProducts,
  setDestination,
} from '../features/warehouse/index.ts';
import { cursorMaker } from '../platform/cursor.ts';
import { decimal } from '../platform/money.ts';

const DEMO: Actor = { kind: 'operator', id: 'demo', role: 'admin' };

const ORIGIN = {
  name: 'Tienda de demostración',
  street: 'Av. Hidalgo',
  number: '100',
  colony: 'Centro',
  municipality: 'Guadalajara',
  city: 'Guadalajara',
  state: 'Jalisco',
  zipcode: '44100',
  phone: '3300000000',
  email: null,
};

const DESTINATION = {
  name: 'Persona de ejemplo',
  street: 'Calle Morelos',
  number: '25',
  colony: 'Centro',
  municipality: 'Querétaro',
  city: 'Querétaro',
  state: 'Querétaro',
  zipcode: '76000',
  phone: '4420000000',
};

const MEASURES = {
  weightKg: decimal('1.2'),
  lengthCm: decimal('30'),
  widthCm: decimal('20'),
  heightCm: decimal('15'),
};

/** At most, so that some lines show that they lack it. */
const WITH_PLACE = 24;
const LOOKED_AT = 100;
/** Of so many goods one has no weight, so that a line lacks something. */
const WITHOUT_WEIGHT_EVERY = 5;

/** Some lines can have a guide at once, and others show what they lack. */
export async function prepareWarehouse(
  { database, exchange }: App,
  { id }: Organization,
): Promise<void> {
  const none = { accountId: null, number: null, isUnsettled: null, readiness: null, cursor: null };
  const all = { ...none, marketplace: [], lineIds: [] };
  const staged = { ...all, state: ['staged'] as const, hasGuide: false, limit: LOOKED_AT };
  await database.within(id).write(async (scope) => {
    const { lines } = await listLines(scope, cursorMaker(exchange.keyring), staged);
    const goods = lines.flatMap(({ orders }) => orders.flatMap(({ items }) => items));
    const titles = new Map(goods.map(({ sku, title }) => [sku ?? '', title]));
    const skus = [...titles.keys()].filter((sku) => sku !== '').sort();
    const products = skus.filter((_, at) => at % WITHOUT_WEIGHT_EVERY > 0);
    await recordProducts(
      scope,
      products.map((sku) => ({ sku, title: titles.get(sku) ?? sku, ...MEASURES })),
    );
    if ((await logisticsSettings(scope)).origin === null)
      await changeSettings(scope, DEMO, { origin: ORIGIN });
    const withoutPlace = lines.filter(({ destination }) => destination === null);
    for (const line of withoutPlace.slice(0, WITH_PLACE))
      await setDestination(scope, DEMO, line.id, DESTINATION);
  });
}

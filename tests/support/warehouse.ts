/** Lines in preparation, as tests make and see them. */
import {
  type Actor,
  changeSettings,
  type Line,
  type LineQuery,
  listLines,
  recordProducts,
  setDestination,
} from '../../src/features/warehouse/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, type TestApp } from './app.ts';

export const OPERATOR: Actor = { kind: 'operator', id: 'terminal', role: 'admin' };
export const SUPERVISOR: Actor = {
  kind: 'person',
  id: '019a8f54-1c2d-7e53-8b64-5f0a9d3c7ea1',
  role: 'supervisor',
};
export const PACKER: Actor = {
  kind: 'person',
  id: '019a8f54-1c2d-7e53-8b64-5f0a9d3c7eb2',
  role: 'warehouse',
};
export const MEMBER: Actor = {
  kind: 'person',
  id: '019a8f54-1c2d-7e53-8b64-5f0a9d3c7ec3',
  role: 'member',
};

export const ADDRESS = {
  name: 'Lucía Ramírez Ortega',
  street: 'Av. Juárez',
  number: '120 int. 3',
  colony: 'Centro',
  municipality: 'Querétaro',
  city: 'Querétaro',
  state: 'Querétaro',
  zipcode: '76000',
  phone: '4421234567',
};

export const ORIGIN = {
  ...ADDRESS,
  name: 'Colchones del Bajío',
  zipcode: '76120',
  email: 'envios@example.com',
};

/** What `anOrder` sells, with its measures. */
export const CUP = {
  sku: 'TAZA-AZUL',
  title: 'Taza azul',
  weightKg: decimal('0.45'),
  lengthCm: decimal('12'),
  widthCm: decimal('10'),
  heightCm: decimal('9.5'),
};

export async function linesOf(
  instance: TestApp,
  given: Partial<LineQuery> = {},
  organizationId = instance.organization.id,
): Promise<readonly Line[]> {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const query: LineQuery = {
    state: [],
    marketplace: [],
    accountId: null,
    number: null,
    hasGuide: null,
    isUnsettled: null,
    lineIds: [],
    readiness: null,
    limit: 200,
    cursor: null,
    ...given,
  };
  return (
    await instance.app.database
      .within(organizationId)
      .read((scope) => listLines(scope, cursors, query))
  ).lines;
}

/**
 * A paid order of one item, and its line in preparation. @param given.destination null = none yet
 * @returns the id of the line
 */
export async function stageLine(
  instance: TestApp,
  organizationId: string,
  orderId: string,
  {
    destination = ADDRESS,
    accountId,
    ...item
  }: {
    readonly destination?: typeof ADDRESS | null;
    readonly accountId?: string;
    readonly sku?: string;
    readonly title?: string;
  } = {},
): Promise<string> {
  const order = anOrder({ id: orderId, ...(accountId && { accountId }) });
  const items = order.items.map((one) => ({ ...one, ...item }));
  await instance.record([{ ...order, items }], organizationId);
  const [line] = await linesOf(instance, { number: orderId }, organizationId);
  if (!line) throw new Error(`order ${orderId} has no line`);
  if (destination)
    await instance.app.database
      .within(organizationId)
      .write((scope) => setDestination(scope, OPERATOR, line.id, destination));
  return line.id;
}

/** The line of an order, wherever it is. */
export async function lineOf(instance: TestApp, orderId: string): Promise<Line> {
  const state = [
    'staged',
    'held',
    'in_transit',
    'transferred',
    'cancelled',
    'shipped_elsewhere',
  ] as const;
  const [line] = await linesOf(instance, { number: orderId, state });
  if (!line) throw new Error(`order ${orderId} has no line`);
  return line;
}

/** What a guide needs besides the line: measures, where parcels start, and where this one goes. */
export async function readyForGuides(instance: TestApp, lines: readonly Line[]): Promise<void> {
  await instance.app.database.within(instance.organization.id).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    await changeSettings(scope, OPERATOR, { origin: ORIGIN });
    for (const { id } of lines) await setDestination(scope, OPERATOR, id, ADDRESS);
  });
}

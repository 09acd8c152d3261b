import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceBalance, SourceInvoice, SourceSettlement } from '../src/connectors/contract.ts';
import {
  listBalances,
  listSettlements,
  recordBalances,
  recordSettlements,
  type SettlementQuery,
  writeSettlement,
} from '../src/features/balances/index.ts';
import { invoicesOfOrder, recordInvoices } from '../src/features/cfdi/index.ts';
import { cursorMaker } from '../src/platform/cursor.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';

// Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

const SOURCE = {
  marketplace: 'amazon',
  accountId: 'A1',
  connectionId: '019a0000-0000-7000-8000-000000000001',
} as const;

// Balances

test('the latest balance of each purse and currency is kept, with the moment of which it is true', async () => {
  const instance = await shared.another();
  await record(instance, [
    balance({ available: decimal('10.50') }),
    balance({ currency: 'USD', available: decimal('3') }),
    balance({ purse: 'reserve', available: decimal('7') }),
  ]);

  await record(instance, [balance({ available: decimal('12'), asOf: at('2026-11-17T00:00:00Z') })]);

  const { balances } = await balancesOf(instance);
  assert.deepEqual(
    balances.map(({ purse, currency, available, asOf }) => [
      purse,
      currency,
      available,
      asOf.toString(),
    ]),
    [
      ['', 'MXN', '12', '2026-11-17T00:00:00Z'],
      ['', 'USD', '3', '2026-11-16T00:00:00Z'],
      ['reserve', 'MXN', '7', '2026-11-16T00:00:00Z'],
    ],
  );
});

test('what was true earlier than what is known changes nothing', async () => {
  const instance = await shared.another();
  await record(instance, [balance({ available: decimal('10') })]);

  const changed = await record(instance, [
    balance({ available: decimal('99'), asOf: at('2026-11-15T00:00:00Z') }),
  ]);

  assert.deepEqual([changed, (await balancesOf(instance)).balances[0]?.available], [0, '10']);
  assert.equal(await historyRows(instance), 1);
});

test('an equal amount moves its time alone: no history, no event', async () => {
  const instance = await shared.another();
  await record(instance, [balance({ available: decimal('10.5') })]);

  const changed = await record(instance, [
    balance({ available: decimal('10.50'), asOf: at('2026-11-17T00:00:00Z') }),
  ]);

  const [kept] = (await balancesOf(instance)).balances;
  assert.deepEqual([changed, kept?.asOf.toString()], [0, '2026-11-17T00:00:00Z']);
  assert.deepEqual([await historyRows(instance), (await eventsOf(instance)).length], [1, 1]);
});

test('customers are notified of changes, but not during a first import', async () => {
  const instance = await shared.another();
  await record(instance, [balance({ available: decimal('10') })], { announce: false });

  await record(instance, [
    balance({
      available: null,
      pending: decimal('80.10'),
      releases: [{ at: at('2026-11-20T00:00:00Z'), amount: decimal('80.10') }],
      asOf: at('2026-11-17T00:00:00Z'),
    }),
  ]);

  assert.deepEqual(await eventsOf(instance), [
    {
      type: 'balance.updated',
      data: {
        marketplace: 'amazon',
        account_id: 'A1',
        purse: null,
        currency: 'MXN',
        available: null,
        pending: 80.1,
        releases: [{ at: '2026-11-20T00:00:00.000Z', amount: 80.1 }],
        as_of: '2026-11-17T00:00:00.000Z',
        is_derived: false,
      },
    },
  ]);
});

test('an account whose marketplace has no balances is named, and has none rather than 0', async () => {
  const instance = await shared.another();
  await connected(instance, 'mercado_libre', 'walmart');

  const { balances, offers } = await balancesOf(instance);

  assert.deepEqual(balances, []);
  assert.deepEqual(
    offers.map(({ service, isOffered, lastSyncAt }) => [service, isOffered, lastSyncAt]),
    [
      ['mercado_libre', true, null],
      ['walmart', false, null],
    ],
  );
});

test('amounts are exact at any size', async () => {
  const instance = await shared.another();

  await record(instance, [balance({ available: decimal('900719925474.000000001') })]);

  assert.equal((await balancesOf(instance)).balances[0]?.available, '900719925474.000000001');
});

// Settlements

test('a settlement is known by its id, and an older version never replaces a newer one', async () => {
  const instance = await shared.another();
  const expected = settlement({
    id: 'S1',
    status: 'expected',
    changedAt: at('2026-11-10T00:00:00Z'),
  });
  const paid = settlement({
    id: 'S1',
    status: 'paid',
    paidAt: at('2026-11-12T00:00:00Z'),
    changedAt: at('2026-11-12T00:00:00Z'),
  });

  const counts = [
    await settle(instance, [expected]),
    await settle(instance, [paid]),
    await settle(instance, [paid]),
    await settle(instance, [expected]),
    await settle(instance, [paid, expected]),
  ];

  assert.deepEqual(counts, [1, 1, 0, 0, 0]);
  const { settlements } = await settlementsOf(instance);
  assert.deepEqual(
    settlements.map(({ id, status }) => [id, status]),
    [['S1', 'paid']],
  );
});

test('a payout that is paid now is one event, but not during a first import', async () => {
  const instance = await shared.another();
  const versionOf = (id: string, status: SourceSettlement['status'], day: number) =>
    settlement({ id, status, changedAt: at(`2026-11-${day}T00:00:00Z`) });
  await settle(instance, [versionOf('S1', 'paid', 10)], { announce: false });

  await settle(instance, [
    settlement({ ...versionOf('S1', 'paid', 11), net: decimal('80') }),
    versionOf('S2', 'paid', 11),
    versionOf('S3', 'pending', 11),
  ]);
  await settle(instance, [versionOf('S3', 'paid', 12)]);
  await settle(instance, [versionOf('S3', 'paid', 12), versionOf('S3', 'pending', 11)]);

  const events = await within(instance).read((scope) =>
    scope.rows(scope.select('events').select(['type', 'data', 'envelope']).orderBy('logged_at')),
  );
  assert.deepEqual(
    events.map(({ type, data, envelope }) => {
      const { id, status, net, account_id } = JSON.parse(data);
      return [type, id, status, net, account_id, JSON.parse(envelope)];
    }),
    [
      ['payout.settled', 'S2', 'paid', 87, 'A1', {}],
      [
        ...['payout.settled', 'S3', 'paid', 87, 'A1'],
        { changed: ['status'], previous_status: 'pending' },
      ],
    ],
  );
});

test('settlements are listed by payment, the newest first, in pages without gaps', async () => {
  const instance = await shared.another();
  const all = Array.from({ length: 7 }, (_, number) =>
    settlement({
      id: `S${number}`,
      status: 'paid',
      paidAt: at('2026-11-01T00:00:00Z').add({ hours: 24 * (number % 5) }),
    }),
  );
  await settle(instance, [
    ...all,
    settlement({ id: 'late', status: 'expected', to: at('2026-12-01T00:00:00Z') }),
  ]);

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await settlementsOf(instance, { limit: 3, cursor });
    seen.push(...page.settlements.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);

  assert.deepEqual(seen, ['late', 'S4', 'S3', 'S2', 'S6', 'S1', 'S5', 'S0']);
  const { settlements } = await settlementsOf(instance, {
    status: ['paid'],
    from: at('2026-11-02T00:00:00Z'),
    to: at('2026-11-03T00:00:00Z'),
  });
  assert.deepEqual(
    settlements.map(({ id }) => id),
    ['S2', 'S6', 'S1'],
  );
  assert.deepEqual((await settlementsOf(instance, { marketplace: ['walmart'] })).settlements, []);
});

// Documents of invoices

test('a document keeps what was once had of it, and belongs to all of its orders', async () => {
  const instance = await shared.another();
  const whole = invoice({
    xml: Buffer.from('<cfdi/>'),
    uuid: 'a1b2c3d4-0000-4000-8000-0123456789ab',
  });

  const counts = [
    await keep(instance, [whole]),
    await keep(instance, [whole]),
    await keep(instance, [invoice({ xml: null, orderIds: ['1', '2'] })]),
  ];

  assert.deepEqual(counts, [1, 0, 1]);
  for (const id of ['1', '2']) {
    const documents = await instance.app.database
      .within(instance.organization.id)
      .read((scope) => invoicesOfOrder(scope, { ...SOURCE, id }));
    assert.deepEqual(
      documents.map(({ xml, uuid }) => [String(xml), uuid]),
      [['<cfdi/>', 'A1B2C3D4-0000-4000-8000-0123456789AB']],
    );
  }
});

test('a payout shows its money to the digit, and in lists leaves out what only its detail has', async () => {
  const instance = await shared.another();
  await settle(instance, [
    settlement({
      id: 'S1',
      gross: decimal('1000.10'),
      fees: null,
      paidAt: at('2026-11-16T00:00:00Z'),
    }),
  ]);
  const [payout] = (await settlementsOf(instance)).settlements;
  assert.ok(payout);

  assert.equal(
    writeSettlement(payout, 'list'),
    '{"id":"S1","marketplace":"amazon","account_id":"A1","status":"paid","currency":"MXN","gross":1000.10,' +
      '"fees":null,"net":87,"paid_at":"2026-11-16T00:00:00.000Z"}',
  );
  const detail = JSON.parse(writeSettlement(payout, 'detail'));
  assert.deepEqual(
    [detail.marketplace_status, detail.period_from, detail.period_to, detail.reference],
    ['DONE', null, null, null],
  );
});

test('customers are notified of a carrier’s purse with the keys of carriers', async () => {
  const instance = await shared.another();
  const zipnova = {
    service: 'zipnova',
    accountId: '77',
    connectionId: SOURCE.connectionId,
  } as const;
  await within(instance).write((scope: WriteScope) =>
    recordBalances(scope, zipnova, [balance({ balance: decimal('-50.00') })], { announce: true }),
  );

  const [reported] = await eventsOf(instance);
  assert.deepEqual(reported?.data, {
    carrier: 'zipnova',
    account_id: '77',
    purse: null,
    currency: 'MXN',
    available: 0,
    pending: null,
    releases: [],
    balance: -50,
    credit_limit: null,
    as_of: '2026-11-16T00:00:00.000Z',
    is_derived: false,
  });
});

// Arrangement

function at(text: string): Temporal.Instant {
  return Temporal.Instant.from(text);
}

function balance(given: Partial<SourceBalance> = {}): SourceBalance {
  return {
    purse: '',
    currency: 'MXN',
    available: decimal('0'),
    pending: null,
    asOf: at('2026-11-16T00:00:00Z'),
    isDerived: false,
    ...given,
  };
}

function settlement(given: Partial<SourceSettlement>): SourceSettlement {
  return {
    id: 'S',
    status: 'paid',
    marketplaceStatus: 'DONE',
    currency: 'MXN',
    gross: decimal('100'),
    fees: decimal('13'),
    net: decimal('87'),
    from: null,
    to: null,
    paidAt: null,
    reference: null,
    changedAt: null,
    raw: '{}',
    ...given,
  };
}

function invoice(given: Partial<SourceInvoice>): SourceInvoice {
  return {
    id: 'D1',
    orderIds: ['1'],
    fileName: 'f.xml',
    uuid: null,
    xml: null,
    url: null,
    issuedAt: null,
    ...given,
  };
}

function within({ app: instance, organization }: TestApp) {
  return instance.database.within(organization.id);
}

function record(instance: TestApp, balances: SourceBalance[], { announce = true } = {}) {
  return within(instance).write((scope: WriteScope) =>
    recordBalances(scope, { service: 'amazon', ...SOURCE }, balances, { announce }),
  );
}

function settle(instance: TestApp, settlements: SourceSettlement[], options = { announce: true }) {
  return within(instance).write((scope) => recordSettlements(scope, SOURCE, settlements, options));
}

function keep(instance: TestApp, invoices: SourceInvoice[]) {
  return within(instance).write((scope) => recordInvoices(scope, SOURCE, invoices));
}

function balancesOf(instance: TestApp) {
  return within(instance).read((scope) => listBalances(scope));
}

function settlementsOf(instance: TestApp, query: Partial<SettlementQuery> = {}) {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const asked = {
    marketplace: [],
    status: [],
    from: null,
    to: null,
    limit: 20,
    cursor: null,
    ...query,
  };
  return within(instance).read((scope) => listSettlements(scope, cursors, asked));
}

async function historyRows(instance: TestApp): Promise<number> {
  return (
    await within(instance).read((scope) =>
      scope.rows(scope.select('balance_history').select('as_of')),
    )
  ).length;
}

async function eventsOf(instance: TestApp) {
  const rows = await within(instance).read((scope) =>
    scope.rows(scope.select('events').select(['type', 'data'])),
  );
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}

async function connected(instance: TestApp, ...marketplaces: string[]): Promise<void> {
  for (const marketplace of marketplaces) {
    instance.clock.advance({ seconds: 1 });
    const now = instance.clock.now().toString();
    const row = {
      service: marketplace,
      account_id: '1',
      name: 'TIENDA',
      state: 'ok',
      created_at: now,
      updated_at: now,
    };
    await within(instance).write((scope) =>
      scope.rows(scope.insert('connections', [{ id: crypto.randomUUID(), ...row }])),
    );
  }
}

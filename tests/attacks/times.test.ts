import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { profile, reportFigure, sized } from '../reliability/support/profile.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { known, openMailingInstance } from '../support/people.ts';
import { openVisitor, type PageAnswer, type Visitor } from '../support/visitor.ts';

// Whether the time of an answer reveals registered addresses: Welch's t of known against unknown
// addresses, asked in turns and in a drawn order. Too long for npm test; the battery asks.

const PAIRS = sized({ small: 0, quick: 200, long: 1_000 });
/** Beyond it the two times are not one. */
const MOST_T = 4.5;
/** The job of a request is done before the next request. */
const PAUSE_MS = 50;
/** The slowest tenth is whatever else the machine did. */
const KEPT = 0.9;

const WAYS: Readonly<Record<string, (visitor: Visitor, correo: string) => Promise<PageAnswer>>> = {
  'another password': (visitor, correo) => visitor.post('/recuperar', { correo }),
  'sign-in': (visitor, correo) =>
    visitor.post('/entrar', { correo, contrasena: 'otra clave equivocada', volver: '' }),
  'sign-up': (visitor, correo) =>
    visitor.post('/registro', {
      nombre: 'Extraño',
      organizacion: 'Tienda',
      correo,
      contrasena: 'la clave de un extraño',
    }),
};

const ANSWERED: Readonly<Record<string, number>> = {
  'another password': 200,
  'sign-in': 401,
  'sign-up': 200,
};

test('the measure sees a difference of a tenth, and none where there is none', () => {
  const spread = (at: number) => 40 + ((at * 7_919) % 100) / 10;
  const times = Array.from({ length: 200 }, (_, at) => spread(at));
  const slower = times.map((time) => time * 1.1);
  assert.ok(Math.abs(welch(times, slower)) > MOST_T);
  assert.ok(Math.abs(welch(times, times.toReversed())) < 0.1);
});

test('the times of sign-in, sign-up and another password reveal no registered address', {
  skip: profile === 'small' && 'the battery measures it',
  timeout: 1_800_000,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(
    WHOLE_FILE,
    undefined,
    {},
    {
      fullPasswordCost: true,
    },
  );
  const { personId } = await known(instance, folder);
  let visits = 0;
  const found: Record<string, number> = {};
  for (const [way, ask] of Object.entries(WAYS)) {
    const addresses = {
      known: `${way.replaceAll(' ', '-')}-si`,
      unknown: `${way.replaceAll(' ', '-')}-no`,
    };
    await copyPerson(personId, addresses.known);
    const statuses = new Set<number>();
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair++) {
      const order =
        Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
      for (const kind of order) {
        // Each comes from a network of its own, so that no limit of an address speaks.
        const visitor = openVisitor(instance.url, {
          address: `2001:db8:${(++visits).toString(16)}::1`,
        });
        const startedAt = performance.now();
        const { status } = await ask(visitor, `${addresses[kind]}-${pair}@tienda.example`);
        times[kind].push(performance.now() - startedAt);
        statuses.add(status);
        await setTimeout(PAUSE_MS);
      }
    }
    assert.deepEqual([...statuses], [ANSWERED[way]], `${way}: no limit and no overload spoke`);
    const statistic = Math.max(
      Math.abs(welch(times.known, times.unknown)),
      Math.abs(welch(fastest(times.known), fastest(times.unknown))),
    );
    found[way] = statistic;
    const [one, other] = [mean(fastest(times.known)), mean(fastest(times.unknown))];
    reportFigure(
      t,
      `${way}: known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms, |t| = ${statistic.toFixed(2)} of ${PAIRS} pairs`,
    );
  }
  for (const [way, statistic] of Object.entries(found))
    assert.ok(statistic < MOST_T, `${way}: |t| = ${statistic}`);

  /** As many people as there are pairs, with the password of a registered person. */
  async function copyPerson(id: string, name: string): Promise<void> {
    await instance.app.database.write(async (handle) => {
      await handle.sql(
        `insert into people (id, name, email, email_verified, created_at, updated_at)
         select gen_random_uuid(), p.name, $2 || '-' || n || '@tienda.example', true, p.created_at, p.updated_at
           from people p, generate_series(0, $3::int) n where p.id = $1`,
        [id, name, PAIRS],
      );
      await handle.sql(
        `insert into credentials (id, account_id, provider_id, person_id, password, created_at, updated_at)
         select gen_random_uuid(), q.id::text, c.provider_id, q.id, c.password, c.created_at, c.updated_at
           from people q, credentials c where c.person_id = $1 and q.email like $2 || '-%'`,
        [id, name],
      );
    });
  }
});

function welch(one: readonly number[], other: readonly number[]): number {
  const difference = mean(one) - mean(other);
  const spread = Math.sqrt(variance(one) / one.length + variance(other) / other.length);
  return difference === 0 ? 0 : difference / spread;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function variance(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return numbers.reduce((sum, number) => sum + (number - middle) ** 2, 0) / (numbers.length - 1);
}

function fastest(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b).slice(0, Math.ceil(numbers.length * KEPT));
}

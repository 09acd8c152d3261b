import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderStatus } from '../../../connectors/contract.ts';
import { Failure } from '../../../platform/failure.ts';
import { LINE_ACTIONS, LINE_STATES, type LineAction, moved, stateOf } from './line.ts';

test('the table of moves: everything else is refused', () => {
  const table = Object.fromEntries(
    LINE_STATES.map((state) => [
      state,
      LINE_ACTIONS.filter((action) => reached(state, action) !== null),
    ]),
  );

  assert.deepEqual(table, {
    staged: [
      'edit',
      'remove_tracking',
      'generate_guide',
      'cancel_guide',
      'set_in_transit',
      'transfer',
    ],
    held: ['edit', 'remove_tracking', 'cancel_guide'],
    in_transit: ['edit', 'remove_tracking', 'generate_guide', 'cancel_guide', 'transfer'],
    transferred: ['undo_transfer'],
    cancelled: ['remove_tracking', 'cancel_guide'],
    shipped_elsewhere: ['edit', 'cancel_guide'],
  });
});

test('only a transfer leaves preparation, and «En camino» is no transfer', () => {
  assert.equal(reached('staged', 'set_in_transit'), 'in_transit');
  assert.equal(reached('staged', 'transfer'), 'transferred');
  assert.equal(reached('staged', 'generate_guide'), 'staged');
});

for (const [what, statuses, state] of [
  ['a paid order waits', ['paid'], 'staged'],
  ['so does one whose label is made', ['ready_to_ship'], 'staged'],
  ['a cancelled one is cancelled', ['cancelled'], 'cancelled'],
  ['a refunded one too', ['refunded'], 'cancelled'],
  ['of a pack, the orders that are left count', ['cancelled', 'paid'], 'staged'],
  ['a shipped one was shipped elsewhere', ['shipped'], 'shipped_elsewhere'],
  ['a part that left holds the rest', ['shipped', 'paid'], 'held'],
  ['so does an order that is shipped in part', ['partially_shipped'], 'held'],
  ['one whose payment is taken back is held', ['pending'], 'held'],
] as const)
  test(`a line follows its orders: ${what}`, () => {
    assert.equal(stateOf(standing(statuses)), state);
  });

test('an order that the marketplace calls shipped was shipped by us where we have its number', () => {
  assert.equal(stateOf({ ...standing(['shipped']), trackingNumber: '21160000001' }), 'staged');
});

test('what is on its way stays so until it is cancelled', () => {
  const inTransitAt = Temporal.Instant.from('2026-11-16T18:00:00Z');

  assert.equal(
    stateOf({ ...standing(['shipped']), state: 'in_transit', inTransitAt }),
    'in_transit',
  );
  assert.equal(
    stateOf({ ...standing(['cancelled']), state: 'in_transit', inTransitAt }),
    'cancelled',
  );
});

test('what left preparation stays where it is', () => {
  assert.equal(stateOf({ ...standing(['cancelled']), state: 'transferred' }), 'transferred');
});

function standing(statuses: readonly OrderStatus[]) {
  const orders = statuses.map((status, at) => ({ id: String(at), status, items: [], tags: [] }));
  return { state: 'staged', orders, trackingNumber: null, inTransitAt: null } as const;
}

function reached(state: (typeof LINE_STATES)[number], action: LineAction): string | null {
  try {
    return moved({ id: 'x', state }, action);
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'transition_not_allowed');
    return null;
  }
}

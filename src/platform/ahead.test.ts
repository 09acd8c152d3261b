import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ahead } from './ahead.ts';

test('the next value is asked for while the consumer works on the one before', async () => {
  const { values, seen } = observed(3);
  for await (const value of ahead(values)) {
    await turn();
    seen.push(`used ${value}`);
  }
  assert.deepEqual(seen, ['made 1', 'made 2', 'used 1', 'made 3', 'used 2', 'closed', 'used 3']);
});

test('a failure comes in its turn, after the values before it', async () => {
  const { values, seen } = observed(3, 2);
  await assert.rejects(async () => {
    for await (const value of ahead(values)) {
      await turn();
      seen.push(`used ${value}`);
    }
  }, /no 2/);
  assert.deepEqual(seen, ['made 1', 'closed', 'used 1']);
});

test('where the consumer stops early, the values are closed', async () => {
  const { values, seen } = observed(3);
  for await (const value of ahead(values)) {
    await turn();
    seen.push(`used ${value}`);
    break;
  }
  assert.deepEqual(seen, ['made 1', 'made 2', 'used 1', 'closed']);
});

test('two consumers share the values, each value for one of them', async () => {
  const { values } = observed(5);
  const shared = ahead(values);
  const used: number[] = [];
  const consume = async () => {
    for await (const value of shared) {
      await turn();
      used.push(value);
    }
  };
  await Promise.all([consume(), consume()]);
  assert.deepEqual(used.sort(), [1, 2, 3, 4, 5]);
});

/** Numbers from 1 on, and what became of them. @param failing the one that cannot be made */
function observed(count: number, failing?: number) {
  const seen: string[] = [];
  async function* values(): AsyncGenerator<number> {
    try {
      for (let number = 1; number <= count; number++) {
        if (number === failing) throw new Error(`no ${number}`);
        seen.push(`made ${number}`);
        yield number;
      }
    } finally {
      seen.push('closed');
    }
  }
  return { values: values(), seen };
}

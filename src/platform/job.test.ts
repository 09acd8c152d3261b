import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineJob } from './job.ts';

test('a payload that another release enqueued is checked before anything is done', async () => {
  const done: object[] = [];
  const job = defineJob({
    name: 'greet',
    policy: 'standard',
    retries: 0,
    concurrency: 1,
    payload: z.object({ name: z.string() }),
    async run(parts: { greeting: string }, { name }) {
      done.push({ ...parts, name });
      return null;
    },
  });

  await job.work({ greeting: 'Hola' }, { name: 'Lucía', since: 1 });
  await assert.rejects(job.work({ greeting: 'Hola' }, { person: 'Lucía' }), z.ZodError);

  assert.deepEqual(done, [{ greeting: 'Hola', name: 'Lucía' }]);
});

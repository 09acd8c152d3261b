import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { reportFigure } from '../reliability/support/profile.ts';
import { BOMBS, type Bomb } from '../support/tax-documents/bombs.ts';
import type { Opened } from '../support/tax-documents/open-upload.ts';

// Files that are made to exhaust the reader of tax documents, or to deceive it: each is refused, in
// a process of its own that has 50 MB more at most.

const MOST_MEGABYTES = 50;
/** From run to run, by what the garbage collector left. */
const VARIES = 6;
const run = promisify(execFile);
const skip = !existsSync('/proc/self/clear_refs') && 'the system does not tell the most memory';

for (const bomb of BOMBS)
  test(`${bomb.name}: refused, in ${MOST_MEGABYTES} MB`, {
    tags: ['slow'],
    skip,
    timeout: 300_000,
  }, async (t) => {
    const opened = await open(bomb);
    const { results, message, milliseconds, megabytes } = opened;
    reportFigure(t, `${bomb.name}: ${megabytes.toFixed(0)} MB more, ${milliseconds.toFixed(0)} ms`);
    if (typeof bomb.refused === 'string') {
      assert.equal(results.length, 1, message ?? '');
      assert.ok(bomb.refused.split('|').includes(results[0] ?? ''), results.join());
    } else {
      assert.match(message ?? '', bomb.refused);
    }
    assert.ok(megabytes <= MOST_MEGABYTES + VARIES, `${megabytes} MB`);
  });

async function open(bomb: Bomb): Promise<Opened> {
  const file = join(tmpdir(), `tianguis-bomb-${process.pid}`);
  await writeFile(file, await bomb.make());
  try {
    const program = 'tests/support/tax-documents/open-upload.ts';
    const { stdout } = await run(process.execPath, ['--expose-gc', program, file]);
    return JSON.parse(stdout);
  } finally {
    await rm(file);
  }
}

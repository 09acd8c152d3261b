import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportFigure } from '../reliability/support/profile.ts';
import { contractLines, MUST } from '../support/contract-lines.ts';
import { presentLines, readPublished } from '../support/published.ts';

// What was published stays: `published.txt` has a line for each operation, parameter, property and
// value of both APIs, and `npm run docs` only adds lines.

test('nothing that was published is lost or changed, and no call must send more than before', (t) => {
  const published = readPublished();
  const present = presentLines();
  assert.deepEqual(
    lost(published, present),
    [],
    'clients of before would fail: give what is new another name, or keep both',
  );
  assert.deepEqual(
    demanded(lost(present, published), published),
    [],
    'calls of before would be refused: make it optional',
  );
  reportFigure(t, `R19 published: ${published.length} lines of both APIs, 0 lost, 0 changed`);
});

test('the comparison finds what is lost, changed, and newly demanded', () => {
  const before = linesWith({ type: 'string' }, false);
  assert.deepEqual(lost(before, linesWith({ type: ['string', 'null'] }, false)), [
    'GET /a 200 application/json .name {"type":"string"} must',
  ]);
  assert.deepEqual(lost(before, linesWith({ type: 'string', description: 'x' }, false)), []);
  const after = linesWith({ type: 'string' }, true);
  assert.deepEqual(demanded(lost(after, before), before), [
    'GET /a query more {"type":"string"} must',
  ]);
  assert.deepEqual(demanded(after, []), [], 'a new operation may demand what it likes');
});

/** Lines of the first that are not in the second. */
function lost(before: readonly string[], after: readonly string[]): string[] {
  const there = new Set(after);
  return before.filter((line) => !there.has(line));
}

/** Inputs that calls of a published operation must have now. */
function demanded(added: readonly string[], published: readonly string[]): string[] {
  return added.filter((line) => {
    const [, operation = '', place] = /^(\S+ \S+) (query|path|header|body) /.exec(line) ?? [];
    return place !== undefined && line.endsWith(MUST) && published.includes(operation);
  });
}

function linesWith(name: object, isMore: boolean): string[] {
  const schema = { type: 'object', properties: { name }, required: ['name'] };
  const more = { name: 'more', in: 'query', required: true, schema: { type: 'string' } };
  return contractLines({
    paths: {
      '/a': {
        get: {
          parameters: isMore ? [more] : [],
          responses: { 200: { content: { 'application/json': { schema } } } },
        },
      },
    },
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutantsOf } from './generated.ts';

const SOURCE = `import type { A } from './a.ts';
type Sign = 1 | -1;
const LIMIT: number = 3;
function f(a: A, b?: number): number {
  if (a.count < LIMIT && b === 2) return (a.count + 1) * 2;
  note(a);
  return b ?? 0;
}
const Q = statement<object>('q', 'select greatest(a, b) + 1 from t where a >= $1 and b');
`;

test('each rule makes one change of what runs, and none of types or names', () => {
  const mutants = mutantsOf('f.ts', SOURCE);
  const changed = mutants.map(({ line, source }) => {
    const before = SOURCE.split('\n')[line - 1] ?? '';
    const after = source.split('\n')[line - 1] ?? '';
    assert.equal(source.replace(after, before), SOURCE, 'nothing else is changed');
    return after.trim();
  });
  assert.deepEqual(changed, [
    'const LIMIT: number = (3 + 1);',
    'if (!(a.count < LIMIT && b === 2)) return (a.count + 1) * 2;',
    'if (a.count <= LIMIT && b === 2) return (a.count + 1) * 2;',
    'if (a.count < LIMIT || b === 2) return (a.count + 1) * 2;',
    'if (a.count < LIMIT && b !== 2) return (a.count + 1) * 2;',
    'if (a.count < LIMIT && b === (2 + 1)) return (a.count + 1) * 2;',
    'if (a.count < LIMIT && b === 2) return (a.count - 1) * 2;',
    'if (a.count < LIMIT && b === 2) return (a.count + (1 + 1)) * 2;',
    'if (a.count < LIMIT && b === 2) return (a.count + 1) / 2;',
    'if (a.count < LIMIT && b === 2) return (a.count + 1) * (2 + 1);',
    ';',
    'return b ;',
    'return b ?? (0 + 1);',
    "const Q = statement<object>('q', 'select least(a, b) + 1 from t where a >= $1 and b');",
    "const Q = statement<object>('q', 'select greatest(a, b) - 1 from t where a >= $1 and b');",
    "const Q = statement<object>('q', 'select greatest(a, b) + 1 from t where a > $1 and b');",
    "const Q = statement<object>('q', 'select greatest(a, b) + 1 from t where a >= $1 or b');",
  ]);
});

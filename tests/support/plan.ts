import pg from 'pg';
import type { OrganizationDatabase, ReadScope } from '../../src/platform/db/database.ts';

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** How a query was really answered. */
export interface Plan {
  /** Rows taken from tables, those that a filter threw away included. */
  readonly read: number;
  /** Pairs of rows that joins compared for nothing. */
  readonly compared: number;
  /** By which indexes; a table that was read whole has its own name. */
  readonly by: readonly string[];
}

/** The plans of what a verb asks, each as readers make it: once for all values. */
export function plansOf(
  database: OrganizationDatabase,
  verb: (scope: ReadScope) => Promise<unknown>,
): Promise<Plan[]> {
  return database.read(async (scope) => {
    const asked: { text: string; values: readonly unknown[] }[] = [];
    const note = ({ text }: { text: string }, values: readonly unknown[]) =>
      asked.push({ text, values: [scope.organizationId, ...values] });
    await verb({
      ...scope,
      prepared: (statement, values) => {
        note(statement, values);
        return scope.prepared(statement, values);
      },
      texts: (statement, values) => {
        note(statement, values);
        return scope.texts(statement, values);
      },
    });
    const plans: Plan[] = [];
    for (const { text, values } of asked) plans.push(await planOf(scope, text, values));
    return plans;
  });
}

/** The plan of a function's one query, under the settings that are the function's own. */
export async function planOfFunction(
  database: OrganizationDatabase,
  name: string,
  values: readonly unknown[],
): Promise<Plan> {
  return database.read(async (scope) => {
    const [body] = await scope.handle.raw<{ prosrc: string; proconfig: string[] }>(
      { name: '', text: 'select prosrc, proconfig from pg_proc where proname = $1' },
      [name],
    );
    const settings = (body?.proconfig ?? []).map((one) => one.split('=') as [string, string]);
    const set = (to: (value: string) => string) =>
      Promise.all(
        settings.map(([key, value]) =>
          scope.handle.raw({ name: '', text: `set ${key} = ${to(value)}` }, []),
        ),
      );
    await set((value) => value);
    const plan = await planOf(scope, body?.prosrc ?? '', values);
    await set(() => 'default');
    return plan;
  });
}

async function planOf(scope: ReadScope, text: string, values: readonly unknown[]): Promise<Plan> {
  const run = (sql: string) => scope.handle.raw<object>({ name: '', text: sql }, []);
  await run(`prepare looked_at as ${text}`);
  const [row] = await run(
    `explain (analyze, format json) execute looked_at (${values.map(literal).join(', ')})`,
  );
  await run('deallocate looked_at');
  return explained(row as object);
}

/** @param row what `explain (analyze, format json)` gave */
export function explained(row: object): Plan {
  const [{ Plan: root }] = Object.values(row)[0] as [{ Plan: Node }];
  const nodes = flatten(root);
  const scans = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable',
  );
  return {
    read: Math.round(scans.reduce((sum, scan) => sum + rowsOf(scan), 0)),
    compared: Math.round(nodes.reduce((sum, node) => sum + comparedBy(node), 0)),
    by: [
      ...new Set(scans.map((scan) => indexOf(scan) ?? `all of ${scan['Relation Name']}`)),
    ].sort(),
  };
}

/** The parts of a bitmap are below it. */
function indexOf(scan: Node): string | undefined {
  if (scan['Node Type'] !== 'Bitmap Heap Scan') return scan['Index Name'];
  return scan.Plans?.flatMap(flatten).find((node) => node['Index Name'] !== undefined)?.[
    'Index Name'
  ];
}

function rowsOf(node: Node): number {
  const thrown =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + thrown) * node['Actual Loops'];
}

function comparedBy(node: Node): number {
  return (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'];
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

export function literal(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value) && value.length === 0) return `'{}'`;
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value));
}

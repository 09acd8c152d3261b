import pg from 'pg';
import type { Database } from '../src/platform/db/database.ts';

/** How the database really answered a query. */
export interface Plan {
  /** Rows that were taken from `orders`, those that a filter threw away included. */
  readonly read: number;
  readonly returned: number;
  /** Pages of 8 KB that were touched. */
  readonly buffers: number;
  /** Steps that read or sort more than a page needs. */
  readonly faults: readonly string[];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Node[];
}

/**
 * Runs a reader's statement with EXPLAIN: planned for its values, and planned once for all values.
 */
export async function plansOf(
  database: Database,
  text: string,
  values: readonly unknown[],
  mostRead: number,
): Promise<Plan[]> {
  const literals = values.map(literal).join(', ');
  return database.read(async (handle) => {
    const run = (sql: string) => handle.raw<object>({ name: '', text: sql }, []);
    await run(`prepare looked_at as ${text}`);
    const plans: Plan[] = [];
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await run(`set plan_cache_mode = ${mode}`);
      const [row] = await run(
        `explain (analyze, buffers, format json) execute looked_at (${literals})`,
      );
      const [{ Plan: root }] = Object.values(row as object)[0] as [{ Plan: Node }];
      plans.push(planOf(root, mostRead));
    }
    await run('deallocate looked_at');
    return plans;
  });
}

function planOf(root: Node, mostRead: number): Plan {
  const nodes = flatten(root);
  const scans = nodes.filter((node) => node['Relation Name'] === 'orders');
  const rows = (node: Node) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const wrong = nodes.filter(
    (node) =>
      /^(Seq Scan|Bitmap)/.test(node['Node Type']) ||
      (node['Node Type'] === 'Sort' && rows(node) > mostRead),
  );
  return {
    read: Math.round(scans.reduce((sum, scan) => sum + rows(scan), 0)),
    returned:
      nodes.find((node) => node['Node Type'] === 'Limit')?.['Actual Rows'] ?? root['Actual Rows'],
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    faults: wrong.map((node) => `${node['Node Type']} of ${rows(node)}`),
  };
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value));
}

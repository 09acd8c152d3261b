import { DEFINITIONS } from '../../src/entrances/mcp/tools-list.ts';
import { run } from './programs.ts';

/** One call per tool. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  get_account: [],
  get_balances: [],
  get_inventory: [],
  get_order: ['id="200000"'],
  get_sales_summary: ['from=2026-11-01', 'to=2026-11-30'],
  list_cfdis: [],
  list_orders: ['limit=2'],
  list_shipments: [],
};

/**
 * The official inspector over the list of tools, and over one call of each. @returns what went
 * wrong
 */
export async function inspectorFaults(url: string, token: string): Promise<string[]> {
  const inspect = [
    '--cli',
    url,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${token}`,
  ];
  const list = await run('mcp-inspector', [...inspect, '--method', 'tools/list', '--strict'], {
    isQuiet: true,
  });
  const faults = list.code === 0 ? [] : ['tools/list --strict'];
  for (const { name } of DEFINITIONS) {
    const given = (CALLS[name] ?? []).flatMap((pair) => ['--tool-arg', pair]);
    const call = ['--method', 'tools/call', '--tool-name', name, ...given];
    const { code, output } = await run('mcp-inspector', [...inspect, ...call], { isQuiet: true });
    if (code !== 0 || !hasAnswer(output)) faults.push(`${name}: ${output.slice(0, 500)}`);
  }
  return faults.map((fault) => `the inspector, ${fault}`);
}

/** A refusal has no structured content. */
function hasAnswer(output: string): boolean {
  try {
    const { isError, structuredContent } = JSON.parse(output);
    return !isError && typeof structuredContent === 'object';
  } catch {
    return false;
  }
}

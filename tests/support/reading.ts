import assert from 'node:assert/strict';
import type { z } from 'zod';
import type { StreamName } from '../../src/connectors/contract.ts';
import { readInput } from '../../src/entrances/inputs.ts';
import type { Tool } from '../../src/entrances/mcp/tool.ts';
import type { AgentAccess } from '../../src/features/grants/index.ts';
import type { Organization } from '../../src/features/organizations/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { formatMicros } from '../../src/platform/time.ts';
import type { TestApp } from './app.ts';
import { UNNAMED } from './operator.ts';

/** A tool's answer as an agent reads it. */
type Answer<Output extends z.ZodType> = z.output<Output>;

/**
 * Calls a tool for an organisation, without a transport, and holds the answer against the tool's
 * own schema.
 */
export async function call<Input extends z.ZodObject, Output extends z.ZodObject>(
  instance: TestApp,
  tool: Tool<Input, Output>,
  given: z.input<Input>,
  organization: Organization = instance.organization,
): Promise<Answer<Output>> {
  const { text, rows } = await run(instance, tool, given, organization);
  const answer = JSON.parse(text) as Answer<Output>;
  // What the schema does not know would be lost here, at any depth.
  assert.deepEqual(tool.output.parse(answer), answer);
  assert.equal(rows, tool.rowsOf(answer));
  return answer;
}

/** The answer as it travels. */
export async function answerText<Input extends z.ZodObject, Output extends z.ZodObject>(
  instance: TestApp,
  tool: Tool<Input, Output>,
  given: z.input<Input>,
): Promise<string> {
  return (await run(instance, tool, given, instance.organization)).text;
}

async function run<Input extends z.ZodObject, Output extends z.ZodObject>(
  { app: instance, clock }: TestApp,
  tool: Tool<Input, Output>,
  given: z.input<Input>,
  organization: Organization,
): Promise<{ text: string; rows: number }> {
  const now = clock.now();
  const access: AgentAccess = {
    grantId: 'grant',
    clientId: 'https://agente.example/cliente',
    clientName: 'Agente de prueba',
    personId: '019a0000-0000-7000-8000-000000000099',
    role: 'owner',
    scopes: tool.scope === null ? [] : [tool.scope],
    audience: 'http://127.0.0.1/mcp',
    expiresAt: now.add({ minutes: 15 }),
    organization,
  };
  const cursors = cursorMaker(instance.exchange.keyring);
  const { signal } = new AbortController();
  const publicUrl = () => 'http://127.0.0.1';
  const answered = await instance.database.within(organization.id).read((scope) => {
    const asOf = formatMicros(now);
    return tool.run(
      { scope, access, operator: UNNAMED, cursors, publicUrl, clock: null, asOf, signal },
      readInput('argument', tool.input, given),
    );
  });
  if ('written' in answered) return { text: String(answered.written), rows: Number(answered.rows) };
  return { text: JSON.stringify(answered), rows: tool.rowsOf(answered as Answer<Output>) };
}

const MOST_PAGES = 60;

/** All rows of a list, page by page. */
export async function walk<Row>(
  page: (cursor: string | undefined) => Promise<{
    data: Row[];
    pagination: { next_cursor: string | null; has_more: boolean };
  }>,
  between: (pages: number) => Promise<unknown> = async () => {},
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const { data, pagination } = await page(cursor);
    assert.equal(pagination.has_more, pagination.next_cursor !== null);
    assert.ok(pages <= MOST_PAGES, 'the walk goes on for ever');
    rows.push(...data);
    if (pagination.next_cursor === null) return rows;
    cursor = pagination.next_cursor;
    await between(pages);
  }
}

/** An account as if it had been connected, and its stream walked once. */
export async function connected(
  { app: instance, clock, organization }: TestApp,
  service: string,
  { accountId = '1', state = 'ok', synced = [] as readonly StreamName[] } = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const now = clock.now().toString();
  await instance.database.within(organization.id).write(async (scope) => {
    const row = {
      id,
      service,
      account_id: accountId,
      name: 'TIENDA',
      state,
      created_at: now,
      updated_at: now,
    };
    await scope.rows(scope.insert('connections', [row]));
    for (const stream of synced)
      await scope.rows(scope.insert('streams', [{ connection_id: id, stream, last_sync_at: now }]));
  });
  return id;
}

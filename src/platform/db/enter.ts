import type pg from 'pg';

/**
 * The first statement of a transaction of an organisation: it fails where the organisation is
 * erased, and until its end the erasure waits.
 */
export async function enter(
  client: pg.ClientBase,
  organizationId: string,
  isNamed = true,
): Promise<void> {
  await client.query({
    ...(isNamed && { name: 'enter' }),
    text: 'select enter_organization($1)',
    values: [organizationId],
  });
}

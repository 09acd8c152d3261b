import type { Output } from './client.ts';

type Imports = Output<'connections.imports'>['data'];

/**
 * The first imports of an account that go on, what sellers wait for first. While there is one, the
 * account is not up to date, on every screen.
 */
export function importsOf(
  all: Imports,
  account: { readonly service: string; readonly account_id: string },
): Imports {
  return all
    .filter(
      ({ service, account_id }) => service === account.service && account_id === account.account_id,
    )
    .toSorted((a, b) => Number(b.is_vital) - Number(a.is_vital));
}

import * as house from './0001-house.ts';

/** Forward only; a released one is never edited. */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '0001-house', sql: house.sql },
];

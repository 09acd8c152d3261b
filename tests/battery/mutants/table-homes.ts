import type { Mutant } from '../mutant.ts';

const TABLE_HOMES = 'tests/table-homes.test.ts';

export const TABLES: readonly Mutant[] = [
  {
    patch: 'table-without-a-home',
    breaks: 'a table is in no list',
    file: TABLE_HOMES,
    test: 'every table is in one of the two lists',
    says: /streams/,
  },
  {
    patch: 'key-begins-with-another',
    breaks: 'a primary key of a table of organisations begins with another column',
    file: TABLE_HOMES,
    test: 'what is of an organisation begins with it',
    says: /warehouse_lines_pkey/,
  },
  {
    patch: 'foreign-key-across-servers',
    breaks: 'a foreign key leads from a table of organisations to the coordinator',
    file: TABLE_HOMES,
    test: 'no trigger is at a table of organisations, and no foreign key',
    says: /rerenderings_organization_id_fkey/,
  },
  {
    patch: 'function-names-a-tenant-table',
    breaks: 'a function reads a table of organisations',
    file: TABLE_HOMES,
    test: 'no function of ours names a table of organisations',
    says: /orders_of/,
  },
  {
    patch: 'statement-over-both-lists',
    breaks: 'one statement reads connections and their streams',
    file: TABLE_HOMES,
    test: 'a statement uses tables of one list',
    says: /streams with connections/,
  },
  {
    patch: 'statement-of-any-organization',
    breaks: 'a statement over streams names no organisation',
    file: TABLE_HOMES,
    test: 'a statement uses tables of one list',
    says: /connections\.stream-syncs/,
  },
  {
    patch: 'query-over-both-lists',
    breaks: 'one built query reads members and streams',
    file: TABLE_HOMES,
    test: 'a query that is built uses tables of one list',
    says: /streams/,
  },
  {
    patch: 'conflict-sets-by-settings',
    breaks: 'the delta clock is moved by an expression that depends on the time zone',
    file: TABLE_HOMES,
    test: 'what a conflict sets depends on no setting',
    says: /timestamptz_pl_interval/,
  },
  {
    patch: 'slice-is-set',
    breaks: 'a slice of an array is set, at which a Citus coordinator crashes',
    file: TABLE_HOMES,
    test: 'no value that is set is an element or a slice',
    says: /orders\.upsert/,
  },
];

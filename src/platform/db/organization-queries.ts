import type {
  DeleteQueryBuilder,
  DeleteResult,
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import { build } from './query.ts';
import type { OrganizationTable, Schema } from './schema.ts';

// Queries that see the rows of one organisation only. Each is written for any of its tables, all of
// which have `organization_id`; its overload says that the answer is of the table given.

export function select<Table extends OrganizationTable>(
  organizationId: string,
  table: Table,
): SelectQueryBuilder<Schema, Table, object>;
export function select(organizationId: string, table: OrganizationTable) {
  return build.selectFrom(table).where('organization_id', '=', organizationId);
}

export function insert<Table extends OrganizationTable>(
  organizationId: string,
  table: Table,
  records: readonly object[],
): InsertQueryBuilder<Schema, Table, InsertResult>;
export function insert(
  organizationId: string,
  table: OrganizationTable,
  records: readonly object[],
) {
  const rows = records.map((record) => ({ ...record, organization_id: organizationId }));
  return build.insertInto(table).values(rows);
}

export function update<Table extends OrganizationTable>(
  organizationId: string,
  table: Table,
): UpdateQueryBuilder<Schema, Table, Table, UpdateResult>;
export function update(organizationId: string, table: OrganizationTable) {
  return build.updateTable(table).where('organization_id', '=', organizationId);
}

export function remove<Table extends OrganizationTable>(
  organizationId: string,
  table: Table,
): DeleteQueryBuilder<Schema, Table, DeleteResult>;
export function remove(organizationId: string, table: OrganizationTable) {
  return build.deleteFrom(table).where('organization_id', '=', organizationId);
}

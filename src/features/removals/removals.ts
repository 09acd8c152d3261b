import { z } from 'zod';
import type { Handle, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './store.ts';

const Account = { connection_id: z.uuid(), marketplace: z.string(), account_id: z.string() };

/** Of a removal that concerns no single organisation. */
export const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000';

/** What a removal names, by its kind. Ids of ours and of orders: no name and no address. */
const SUBJECTS = {
  organization: z.object({}),
  api_key: z.object({ id: z.uuid() }),
  member: z.object({ person_id: z.uuid() }),
  /** Of every organisation: the account itself. */
  person: z.object({ person_id: z.uuid() }),
  /** Its credentials. */
  connection: z.object({ id: z.uuid() }),
  /** Of these orders. */
  buyers: z.object({ ...Account, order_ids: z.array(z.string()) }),
  /** Of all orders of an account, whose seller uninstalled us. */
  account: z.object(Account),
} as const;

type RemovalKind = keyof typeof SUBJECTS;
type SubjectOf<K extends RemovalKind> = z.infer<(typeof SUBJECTS)[K]>;

/** A removal, as a line of the journal has it. */
export type Removal = {
  [K in RemovalKind]: {
    readonly id: string;
    /** In ISO 8601. */
    readonly at: string;
    readonly kind: K;
    readonly organization_id: string;
    readonly subject: SubjectOf<K>;
  };
}[RemovalKind];

/** Belongs into the transaction of the act. */
export async function noteRemoval<K extends RemovalKind>(
  { handle, clock, organizationId }: Pick<WriteScope, 'handle' | 'clock' | 'organizationId'>,
  kind: K,
  subject: SubjectOf<K>,
): Promise<void> {
  await store.insert(handle, {
    id: newId(),
    at: clock.now().toString(),
    kind,
    organizationId,
    subject: JSON.stringify(subject),
  });
}

/** @throws ZodError */
export function removalOf(row: Record<keyof Removal, unknown>): Removal {
  const head = Head.parse(row);
  const subject = SUBJECTS[head.kind].parse(row.subject);
  return { ...head, subject } as Removal;
}

const Head = z.object({
  id: z.uuid(),
  at: z.string(),
  kind: z.enum(Object.keys(SUBJECTS) as [RemovalKind, ...RemovalKind[]]),
  organization_id: z.uuid(),
});

/** Whether the database has it already: it is older than the backup, or was repeated. */
export async function isKnown(handle: Handle, { id }: Removal): Promise<boolean> {
  return store.has(handle, id);
}

/** Keeps a removal of a journal, so that the next journal and the next restore have it too. */
export async function keepRemoval(handle: WriteHandle, removal: Removal): Promise<void> {
  const { organization_id: organizationId, subject, ...rest } = removal;
  await store.insert(handle, { ...rest, organizationId, subject: JSON.stringify(subject) });
}

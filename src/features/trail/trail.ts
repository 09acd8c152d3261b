import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** The recorded acts. */
export type Act =
  | 'api_key_made'
  | 'api_key_regenerated'
  | 'api_key_revoked'
  | 'member_added'
  | 'member_removed'
  | 'role_changed'
  | 'person_changed'
  | 'invitation_sent'
  | 'invitation_taken_back'
  | 'agent_connected'
  | 'agent_disconnected'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'backup_codes_renewed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'passkey_restored'
  | 'factors_removed'
  | 'password_changed'
  | 'password_chosen'
  | 'password_reset'
  | 'connection_made'
  | 'connection_renamed'
  | 'connection_paused'
  | 'connection_resumed'
  | 'connection_ended'
  | 'event_address_rotated'
  | 'webhook_endpoint_made'
  | 'webhook_endpoint_changed'
  | 'webhook_endpoint_enabled'
  | 'webhook_endpoint_disabled'
  | 'webhook_endpoint_deleted'
  | 'webhook_secret_rotated'
  | 'webhook_test_sent'
  | 'webhook_events_resent'
  | 'export_requested'
  | 'export_downloaded'
  | 'export_deleted'
  | 'organization_changed'
  | 'organization_suspended'
  | 'organization_resumed'
  | 'plan_changed'
  | 'plan_requested'
  | 'logistics_changed'
  | 'alert_settled'
  | 'alert_reopened'
  | 'guides_requested'
  | 'guide_settled'
  | 'guide_cancelled'
  | 'fiscal_profile_changed'
  | 'billing_data_viewed'
  | 'cfdis_downloaded';

/** A person, and the address of the request as the front determined it. */
export interface PersonDoing {
  readonly personId: string;
  readonly address: string | null;
}

/** A person in the pages, or an operator at the terminal. */
export type PersonOrOperator = PersonDoing | 'operator';

/** A program with an API key, and the address of its request. */
export interface KeyDoing {
  readonly keyId: string;
  readonly address: string | null;
}

/** The instance itself, without a request; stored. */
export const INSTANCE_ACTOR = 'house';

/** `operator`: from the terminal. */
export type Doer = PersonDoing | KeyDoing | 'operator' | typeof INSTANCE_ACTOR;

/** The person or thing affected. Never a secret, nor an address of a person. */
interface ActFacts {
  /** Its id. */
  readonly subject?: string;
  /** Its name, such as a key's; people are named by their id alone. */
  readonly label?: string;
  readonly role?: string;
}

/** An act that was done. */
export interface DoneAct {
  /** Its position in its organisation's trail. */
  readonly position: number;
  readonly at: Instant;
  readonly act: Act;
  readonly by: Doer;
  readonly subject: string | null;
  readonly label: string | null;
  readonly role: string | null;
}

/** Records an act in the transaction that does it, so that neither exists without the other. */
export async function noteAct(
  scope: WriteScope,
  by: Doer,
  act: Act,
  facts: ActFacts = {},
): Promise<void> {
  await store.insert(scope, {
    at: scope.clock.now(),
    act,
    ...doerColumns(by),
    subject: facts.subject ?? null,
    label: facts.label ?? null,
    role: facts.role ?? null,
  });
}

/** Newest first. @param position they are older than; null = from the newest on */
export async function actsBefore(
  scope: ReadScope,
  position: number | null,
  most: number,
): Promise<DoneAct[]> {
  return (await store.before(scope, position, most)).map(fromRow);
}

/** The newest act of this kind; null = there is none within the year. */
export async function lastOf(
  scope: ReadScope,
  act: Act,
  label: string | null = null,
): Promise<DoneAct | null> {
  const row = await store.last(scope, act, label);
  return row ? fromRow(row) : null;
}

function doerColumns(by: Doer) {
  if (typeof by === 'string') return { done_by: by, person_id: null, key_id: null, address: null };
  const { address } = by;
  return 'keyId' in by
    ? { done_by: 'key', person_id: null, key_id: by.keyId, address }
    : { done_by: 'person', person_id: by.personId, key_id: null, address };
}

function fromRow(row: store.ActRow): DoneAct {
  const { seq, at, act, subject, label, role } = row;
  return { position: seq, at, act: act as Act, by: doerOf(row), subject, label, role };
}

function doerOf({ done_by, person_id, key_id, address }: store.ActRow): Doer {
  if (key_id !== null) return { keyId: key_id, address };
  if (person_id !== null) return { personId: person_id, address };
  return done_by as 'operator' | typeof INSTANCE_ACTOR;
}

import { TENANT } from '../../platform/db/table-homes.ts';

/**
 * Rows of an organisation on the coordinator. Its data keys come first: without them what is sealed
 * stays closed in every copy.
 */
const OF_COORDINATOR = [
  'data_keys',
  'connections',
  'connect_attempts',
  'webhook_secrets',
  'schedules',
  'api_keys',
  'api_deprecation_notices',
  'invitations',
  'agent_tools',
  'agent_calls',
  'agent_grants',
  'request_counts',
  'saved_views',
  'members',
  'acts',
] as const;

/** Every table that has rows of an organisation, in the order in which they are erased. */
export const ERASED = [...OF_COORDINATOR, ...TENANT] as const;

/** What grants access or plans work: erased with the closing. */
export const GATES = [
  'schedules',
  'api_keys',
  'invitations',
  'webhook_secrets',
  'connect_attempts',
  // They would go with the members, uncounted.
  'saved_views',
] as const;

/** Of people, by the column that names them; they go with a person who has no other organisation. */
export const OF_PEOPLE = [
  'sessions',
  'credentials',
  'passkeys',
  'second_factors',
  'used_codes',
] as const;

export type ErasedTable = (typeof ERASED)[number];

import { TENANT } from '../../platform/db/table-homes.ts';

/** Tables of the coordinator in the file; the others hold credentials or planned work. */
const OF_COORDINATOR = ['data_keys', 'connections', 'acts'] as const;

/** Tables of an organisation that its file does not have, each with the reason. */
export const LEFT_OUT = {
  agent_calls: 'of agents, which connect again',
  agent_grants: 'of agents, which connect again',
  agent_tools: 'of agents, which connect again',
  api_deprecation_notices: 'mails that an installation sent',
  api_keys: 'a file grants no access: keys are made again',
  cfdi_upload_files: 'results of uploads; the CFDI themselves are in the file',
  cfdi_uploads: 'results of uploads; the CFDI themselves are in the file',
  connect_attempts: 'end within days',
  export_chunks: 'an export is made again',
  exports: 'an export is made again',
  idempotent_requests: 'end within a day',
  invitations: 'a file grants no access: members are invited again',
  members: 'people belong to an installation: members are invited again',
  request_counts: 'end within days',
  saved_views: 'of members',
  schedules: 'planned when an account is connected again',
  sync_runs: 'of the installation that read the account',
  webhook_secrets: 'addresses of an installation',
} as const;

type LeftOut = keyof typeof LEFT_OUT;

/** What a file has, in its order: keys and connections come first. */
export const TABLES = [
  ...OF_COORDINATOR,
  ...TENANT.filter((table): table is Exclude<typeof table, LeftOut> => !(table in LEFT_OUT)),
] as const;
export type FileTable = (typeof TABLES)[number];

export function isFileTable(name: string): name is FileTable {
  return (TABLES as readonly string[]).includes(name);
}

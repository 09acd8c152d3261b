/** Grants of agents: for whom they read, and what. Revoked at once everywhere. */
export { type AgentAccess, type AgentAccessCache, openAgentAccessCache } from './access.ts';
export type { AgentCall } from './call.ts';
export { type CallRecorder, openCallRecorder, recordCalls } from './calls.ts';
export {
  type Agent,
  agree,
  disconnectAgent,
  disconnectAgentsOf,
  grantAllows,
  grantStands,
  listAgents,
  namesOfAgents,
  organizationReadBy,
} from './grants.ts';
export { resealKeys, type ServerKeys, serverKeys } from './keys.ts';
export { recordsOf } from './records.ts';
export { RETENTIONS } from './retentions.ts';

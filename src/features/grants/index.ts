/** What agents hold: for whom they read, and what. Taken back at once everywhere. */
export { type AgentAccess, type AgentAccessCache, openAgentAccessCache } from './access.ts';
export { type AgentCall, type AgentLedger, openAgentLedger } from './calls.ts';

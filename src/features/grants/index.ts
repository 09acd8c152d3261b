/** What agents hold: for whom they read, and what. Taken back at once everywhere. */
export { type AgentAccess, type AgentAccessCache, openAgentAccessCache } from './access.ts';

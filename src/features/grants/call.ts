import type { Instant } from '../../platform/time.ts';

/** One tool call of an agent. Its arguments are not stored. */
export interface AgentCall {
  readonly organizationId: string;
  readonly grantId: string;
  readonly personId: string;
  readonly clientId: string;
  readonly tool: string;
  readonly at: Instant;
  readonly milliseconds: number;
  /** Rows in the answer. */
  readonly rows: number;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
}

import type { Instant } from '../../platform/time.ts';

/** One tool that an agent called. What it asked for is not kept. */
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

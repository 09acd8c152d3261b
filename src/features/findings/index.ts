/** Findings: what the ledger, payouts and tax documents do not explain, until it is explained. */
export { accountsNotConnected, type MarketplaceAccount } from './accounts.ts';
export { everyWithheldLine, type PositionOfWithheld } from './every-withheld-line.ts';
export { FINDING, writeFinding } from './fields.ts';
export { findProblems } from './find.ts';
export { FINDING_KINDS, FINDING_STATES, type FindingState } from './kinds.ts';
export {
  explainFinding,
  FINDING_FILTERS,
  type Finding,
  findFinding,
  listFindings,
} from './list-findings.ts';
export { RETENTIONS } from './store.ts';
export { WITHHELD, writeWithheld } from './withheld-fields.ts';
export { WITHHELD_LINE, writeWithheldLine } from './withheld-line-fields.ts';
export { isWithheldPeriod, listWithheldLines } from './withheld-lines.ts';
export type { WithheldPeriod } from './withheld-period.ts';
export { withheldPeriods } from './withheld-periods.ts';

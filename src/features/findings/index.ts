/** Findings: what the ledger, payouts and tax documents do not explain, until it is explained. */
export { accountsNotConnected, type MarketplaceAccount } from './accounts.ts';
export {
  FINDING,
  WITHHELD,
  WITHHELD_LINE,
  writeFinding,
  writeWithheld,
  writeWithheldLine,
} from './fields.ts';
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
export {
  everyWithheldLine,
  isWithheldPeriod,
  listWithheldLines,
  type PositionOfWithheld,
} from './withheld-lines.ts';
export { type WithheldPeriod, withheldPeriods } from './withheld-periods.ts';

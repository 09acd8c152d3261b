/**
 * The warehouse: goods and their measures, parcels in preparation, their actions, and attempts at
 * guides.
 */
export { actionsOf, noteAction } from './actions.ts';
export { type Action, type Actor, actorSchema } from './actor.ts';
export { WAREHOUSE_ALERTS } from './alert-kinds.ts';
export {
  acceptBatch,
  type Batch,
  batchById,
  costsOf,
  finishBatch,
  type GuideOrder,
  isOverdue,
  recentBatches,
  unfinishedBatches,
} from './batches.ts';
export { beginAttempt, recallAttempt } from './begin-guide-attempt.ts';
export {
  forgetDestinations,
  markInTransit,
  requireMove,
  setDestination,
  setPackages,
  setTracking,
  transferLine,
  undoTransfer,
} from './change-line.ts';
export { editLine, type LineEdit, versionOf } from './edit-line.ts';
export { attemptById, attemptsOf } from './find-attempts.ts';
export type { Attempt, GuideAccount, Lack } from './guide-attempt.ts';
export {
  giveUp,
  keepLabels,
  leaveUnknown,
  markSent,
  settleFailed,
  settleOk,
} from './guide-attempts.ts';
export { markGuideCancelled, requireCancellable, settleByHand } from './guide-decisions.ts';
export { nextReferences } from './guide-references.ts';
export { lackOf } from './guide-request.ts';
export { handoverOf, handoversOf } from './handover.ts';
export {
  LINE_ACTIONS,
  LINE_STATES,
  type Line,
  type LineState,
  STATE_NAMES,
  wanted,
} from './line.ts';
export { type LineLack, lacksOf } from './line-lacks.ts';
export { movesOf } from './line-moves.ts';
export { type LineQuery, lineById, listLines } from './list-lines.ts';
export { type PlannedGuide, planGuides } from './plan-guides.ts';
export {
  presentAction,
  presentAttempt,
  presentBatch,
  presentLine,
  withoutMoney,
} from './present.ts';
export {
  findProduct,
  type Product,
  recordEquivalences,
  recordProducts,
  removeEquivalence,
} from './products.ts';
export { type Goods, readGoods, tableOfGoods, UnreadableGoods } from './read-goods.ts';
export { organizationsToSealWarehouse, sealWarehouse } from './seal-warehouse.ts';
export {
  changeSettings,
  isOwnFleet,
  type LogisticsSettings,
  logisticsSettings,
} from './settings.ts';
export { channelsOf } from './sku-channels.ts';
export { listSkuRows, SKU_FILTERS, type SkuRow, skuDetails } from './sku-rows.ts';
export { stageOrders } from './stage-orders.ts';
export { guidesBySlot } from './store-figures.ts';
export { linesById } from './store-lines.ts';
export { READINESS } from './store-lines-page.ts';
export { RETENTIONS } from './store-retentions.ts';

/**
 * The warehouse: goods and their measures, parcels in preparation, their actions, and attempts at
 * guides.
 */
export { actionsOf, noteAction } from './actions.ts';
export { type Action, type Actor, actorSchema } from './actor.ts';
export { WAREHOUSE_ALERTS } from './alert-kinds.ts';
export { type Attempt, type GuideAccount, isAlive } from './guides/attempt-types.ts';
export {
  acceptBatch,
  type Batch,
  type BatchRequest,
  batchById,
  costsOf,
  finishBatch,
  isOverdue,
  MOST_BATCH_LINES,
  recentBatches,
  unfinishedBatches,
} from './guides/batches.ts';
export { beginAttempt, recallAttempt } from './guides/begin-guide-attempt.ts';
export {
  attemptById,
  giveUp,
  keepLabels,
  leaveUnknown,
  markSent,
  recordFailure,
  recordGuide,
} from './guides/guide-attempts.ts';
export {
  markGuideCancelled,
  requireCancellable,
  resolveAttempt,
} from './guides/guide-decisions.ts';
export { type Obstacle, obstacleOf } from './guides/guide-obstacle.ts';
export { nextReferences } from './guides/guide-references.ts';
export { type PlannedGuide, planGuides } from './guides/plan-guides.ts';
export { guidesBySlot } from './guides/store-figures.ts';
export { attemptsOf } from './guides/store-guide-attempts.ts';
export {
  forgetDestinations,
  markInTransit,
  requireMove,
  setDestination,
  setPackages,
  setTracking,
  transferLine,
  undoTransfer,
} from './lines/change-line.ts';
export { editLine, type LineEdit, versionOf } from './lines/edit-line.ts';
export { handoverOf, handoversOf } from './lines/handover.ts';
export {
  LINE_ACTIONS,
  LINE_STATES,
  type Line,
  type LineState,
  STATE_NAMES,
  wanted,
} from './lines/line.ts';
export { movesOf } from './lines/line-moves.ts';
export { type LineObstacle, obstaclesOf } from './lines/line-obstacles.ts';
export { type LineQuery, lineById, listLines } from './lines/list-lines.ts';
export { stageOrders } from './lines/stage-orders.ts';
export { linesById } from './lines/store-lines.ts';
export { READINESS } from './lines/store-lines-page.ts';
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
} from './products/products.ts';
export {
  type Goods,
  LONGEST_CODE,
  LONGEST_TITLE,
  MOST_UNITS,
  readGoods,
  tableOfGoods,
  UnreadableGoods,
} from './products/read-goods.ts';
export { type MeasureField, readMeasure } from './products/read-measure.ts';
export { channelsOf } from './products/sku-channels.ts';
export { listSkuRows, SKU_FILTERS, type SkuRow, skuDetails } from './products/sku-rows.ts';
export { organizationsToSealWarehouse, sealWarehouse } from './seal-warehouse.ts';
export {
  changeSettings,
  isOwnFleet,
  type LogisticsSettings,
  logisticsSettings,
} from './settings.ts';
export { RETENTIONS } from './store-retentions.ts';

import { type Retention, removal, removeBefore, retention } from '../../platform/db/retention.ts';

/**
 * A year and a month: for audits, and so that a month can be compared with the same one of the year
 * before.
 */
const KEEP_DAYS = 400;
/** A label is printed again within days. A later reprint fetches it from the carrier. */
const KEEP_LABELS_DAYS = 90;

/** The condition of the index. */
const HAS_LABELS =
  '(zpl is not null or pdf_base64 is not null or zpl_box is not null or pdf_box is not null)';
const IS_OVER = "state in ('transferred', 'cancelled', 'shipped_elsewhere')";

const REMOVE_LABELS = removal(
  'guide-attempts.remove-labels',
  { table: 'guide_attempts', time: 'settled_at', and: () => HAS_LABELS },
  (oldest) => `update guide_attempts
      set zpl = null, pdf_base64 = null, zpl_box = null, pdf_box = null
    where ${oldest} returning 1`,
);

/** With their orders and their attempts. */
const REMOVE_LINES = removal(
  'warehouse-lines.remove',
  { table: 'warehouse_lines', time: 'updated_at', and: () => IS_OVER },
  (oldest) => `with gone as (
     delete from warehouse_lines where ${oldest}
     returning organization_id, id),
   orders as (
     delete from warehouse_line_orders placed using gone
      where placed.organization_id = gone.organization_id and placed.line_id = gone.id),
   attempts as (
     delete from guide_attempts attempt using gone
      where attempt.organization_id = gone.organization_id and attempt.line_id = gone.id)
   select 1 from gone`,
);

const REMOVE_BATCHES = removal(
  'guide-batches.remove',
  { table: 'guide_batches', time: 'requested_at' },
  (oldest) => `with gone as (
     delete from guide_batches where ${oldest} returning organization_id, id),
   lines as (
     delete from guide_batch_lines line using gone
      where line.organization_id = gone.organization_id and line.batch_id = gone.id)
   select 1 from gone`,
);

export const RETENTIONS: readonly Retention[] = [
  retention('guide_attempts', KEEP_LABELS_DAYS, REMOVE_LABELS),
  retention('warehouse_lines', KEEP_DAYS, REMOVE_LINES),
  retention('guide_batches', KEEP_DAYS, REMOVE_BATCHES),
  retention(
    'warehouse_actions',
    KEEP_DAYS,
    removeBefore('warehouse-actions.remove', 'warehouse_actions', 'at'),
  ),
];

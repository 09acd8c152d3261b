/** What grows is removed by its time, through these. */
export const indexes = {
  order_documents_replaced: 'order_documents (replaced_at) where replaced_at is not null',
  order_documents_unlinked:
    'order_documents (organization_id, marketplace, account_id, recorded_at) where stamps is null',
  order_documents_loose:
    'order_documents (organization_id, marketplace, account_id, recorded_at) where is_loose',
  alerts_resolved: 'alerts (resolved_at) where resolved_at is not null',
  balance_history_by_time: 'balance_history (as_of)',
  connect_attempts_by_end: 'connect_attempts (expires_at)',
  events_by_time: 'events (created_at)',
  guide_attempts_with_labels:
    'guide_attempts (settled_at) where (zpl is not null or pdf_base64 is not null)',
  guide_batches_by_time: 'guide_batches (requested_at)',
  invitations_by_end: 'invitations (expires_at)',
  people_unconfirmed: 'people (created_at) where not email_verified',
  receipts_by_time: 'receipts (received_at)',
  shipment_events_orphans_by_time: 'shipment_events (recorded_at) where shipment_id is null',
  stock_history_by_time: 'stock_history (at)',
  stock_levels_gone: 'stock_levels (gone_at) where gone_at is not null',
  unreadable_items_by_time: 'unreadable_items (last_seen_at)',
  used_codes_by_time: 'used_codes (used_at)',
  sign_in_failures_by_time: 'sign_in_failures (since)',
  warehouse_actions_by_time: 'warehouse_actions (at)',
  warehouse_lines_over:
    "warehouse_lines (updated_at) where state in ('transferred', 'cancelled', 'shipped_elsewhere')",
};

/** What happened to an organisation in a span of time: webhooks, and attempts at guides. */
export const indexes = {
  receipts_of_time: 'receipts (organization_id, received_at)',
  carrier_receipts_of_time: 'carrier_receipts (organization_id, received_at)',
  guide_attempts_of_time: 'guide_attempts (organization_id, queued_at)',
};

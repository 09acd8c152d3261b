/** An organisation's batches of guides are listed through it, the newest first. */
export const indexes = {
  guide_batches_newest: 'guide_batches (organization_id, requested_at)',
};

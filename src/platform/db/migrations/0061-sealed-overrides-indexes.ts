/** What is still to be sealed is found through it; it is empty afterwards. */
export const indexes = {
  guide_batches_unsealed: 'guide_batches (organization_id, id) where (overrides is not null)',
};

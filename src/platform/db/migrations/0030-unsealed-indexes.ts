/** What is still to be sealed is found through these; they are empty afterwards. */
export const indexes = {
  order_documents_unsealed:
    'order_documents (organization_id, marketplace, account_id, recorded_at) where not is_sealed',
};

/** What is still to be read is found through it; it is empty afterwards. */
export const indexes = {
  invoice_documents_unread:
    'invoice_documents (organization_id, marketplace, account_id, id) where xml is not null and read_at is null',
};

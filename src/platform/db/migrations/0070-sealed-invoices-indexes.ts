/** What is still to be sealed, and to be read, is found through them; they are empty afterwards. */
export const indexes = {
  invoice_documents_unsealed:
    'invoice_documents (organization_id, marketplace, account_id, id) where (xml is not null)',
  invoice_documents_sealed_unread: `invoice_documents (organization_id, marketplace, account_id, id)
    where (xml is not null or xml_box is not null) and read_at is null`,
};

/** The marketplaces' documents that were not read are listed through it, the newest first. */
export const indexes = {
  invoice_documents_unread_newest: `invoice_documents
    (organization_id, listed_at, marketplace, account_id, id)
    where (read_at is null or read_failure is not null)`,
};

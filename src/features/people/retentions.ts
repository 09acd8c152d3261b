import { RETENTIONS as OF_PEOPLE } from './store.ts';
import { INVITATIONS_RETENTION } from './store-invitations.ts';

export const RETENTIONS = [...OF_PEOPLE, INVITATIONS_RETENTION];

import { INVITATIONS_RETENTION } from './store-invitations.ts';
import { RETENTIONS as OF_PEOPLE } from './store-retentions.ts';

export const RETENTIONS = [...OF_PEOPLE, INVITATIONS_RETENTION];

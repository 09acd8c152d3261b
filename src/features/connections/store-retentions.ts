import { removeBefore, retention } from '../../platform/db/retention.ts';
import { KEEP_UNREADABLE_DAYS } from './store-unreadable.ts';

export const RETENTIONS = [
  retention(
    'connect_attempts',
    0,
    removeBefore('connections.remove-attempts', 'connect_attempts', 'expires_at'),
  ),
  retention(
    'unreadable_items',
    KEEP_UNREADABLE_DAYS,
    removeBefore('connections.remove-unreadable', 'unreadable_items', 'last_seen_at'),
  ),
];

/** Alerts: problems that a person must look at, stored as rows until they are resolved. */
export {
  connectionIdIn,
  isRaised,
  type KeptAlert,
  listAlerts,
  listResolvedAlerts,
  openAlerts,
  organizationsToMail,
  RESOLVED_DAYS,
  raiseAlert,
  reopenAlert,
  resolveAlert,
  resolveAlertsOf,
  settleAlert,
  takeUnmailed,
} from './alerts.ts';
export { pageOfAlert } from './pages.ts';
export { RETENTIONS } from './store.ts';

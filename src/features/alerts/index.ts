/** Alerts: troubles that a person must look at, stored as rows until they are resolved. */
export {
  isRaised,
  type KeptAlert,
  listAlerts,
  openAlerts,
  organizationsToTell,
  raiseAlert,
  resolveAlert,
  resolveAlertsOf,
  takeUntold,
} from './alerts.ts';
export { RETENTIONS } from './store.ts';

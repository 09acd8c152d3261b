/** Alerts: what a person must look at, kept as rows until it is resolved. */
export {
  isRaised,
  type KeptAlert,
  listAlerts,
  openAlerts,
  raiseAlert,
  resolveAlert,
  resolveAlertsOf,
} from './alerts.ts';
export { RETENTIONS } from './store.ts';

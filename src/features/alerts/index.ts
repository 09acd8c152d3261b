/** Alerts: what somebody must know about, kept as rows until it is settled. */
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

/** Alerts: what somebody must know about, kept as rows until it is settled. */
export { raiseAlert, resolveAlert } from './alerts.ts';

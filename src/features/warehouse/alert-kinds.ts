export const GUIDE_UNKNOWN = 'guide_unknown';
export const GUIDE_LATE_ANSWER = 'guide_late_answer';
export const CANCELLED_PARCEL = 'cancelled_parcel';

/** The alerts that warehouse roles see, too. */
export const WAREHOUSE_ALERTS: readonly string[] = [
  GUIDE_UNKNOWN,
  GUIDE_LATE_ANSWER,
  CANCELLED_PARCEL,
];

/** A session ends this long after its sign-in, regardless of its use. */
export const SESSION_DAYS = 14;

/** A session without a request for this long ends. */
export const IDLE_HOURS = 12;

/** The life of a link to choose another password. */
export const RECOVERY_MINUTES = 30;

/** A session ends this long after its sign-in, regardless of its use. */
export const SESSION_DAYS = 14;

/** The life of a link to choose another password. */
export const RECOVERY_MINUTES = 30;

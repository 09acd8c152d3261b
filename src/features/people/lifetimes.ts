/** A session ends this long after its sign-in, however much it is used. */
export const SESSION_DAYS = 14;

/** A link to choose another password. */
export const RECOVERY_MINUTES = 30;

/** Kinds of alerts about an account that its next job raises again where their reason lasts. */
export const JOB_ALERTS = [
  'connection',
  'stream',
  'push',
  'pushes',
  'renewal',
  'subscription',
  'tracing',
  'access',
] as const;

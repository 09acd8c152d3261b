import type { Instant } from '../../platform/time.ts';

/** Versions of the REST API, by the path that they are below. */
export const API_VERSIONS = ['v1'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** The announced end of a version. */
export interface Deprecation {
  readonly version: ApiVersion;
  readonly deprecatedAt: Instant;
  /** From then on each request is answered with 410 `version_retired`. */
  readonly sunsetAt: Instant;
  /** Address of the version that follows; null while none is known. */
  readonly successor: string | null;
}

/** Versions of the REST API whose end is announced. */
export { API_VERSIONS, type ApiVersion, type Deprecation } from './deprecation.ts';
export { deprecate, rememberDeprecation } from './deprecations.ts';
export { type DueNotice, dueNotices, noteNotice } from './notices.ts';

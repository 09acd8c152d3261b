/** Versions of the REST API whose end is announced. */
export { API_VERSIONS, type ApiVersion, type Deprecation } from './deprecation.ts';
export {
  type DueNotice,
  deprecate,
  dueNotices,
  noteNotice,
  rememberDeprecation,
} from './deprecations.ts';

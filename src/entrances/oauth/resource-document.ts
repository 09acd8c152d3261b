import { SCOPES } from '../../features/keys/index.ts';
import type { AuthorizationParts } from './authorization-parts.ts';
import { resourceOf } from './provider.ts';

/** RFC 9728: by this document an agent finds who gives permission to read at the endpoint. */
export function resourceDocument(parts: AuthorizationParts) {
  return {
    resource: resourceOf(parts),
    authorization_servers: [parts.publicUrl()],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Tianguis',
    resource_documentation: `${parts.publicUrl()}/docs`,
  };
}

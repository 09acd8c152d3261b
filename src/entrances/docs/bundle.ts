import fastify from 'fastify';

const AT = '/docs';

/**
 * Scalar's browser script, as its Fastify package serves it. Loaded at the first request.
 */
export async function scalarBundle(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = fastify();
  await carrier.register(scalar, { routePrefix: AT, configuration: { url: '/v1/openapi.json' } });
  const { rawPayload } = await carrier.inject(`${AT}/js/scalar.js`);
  await carrier.close();
  return rawPayload;
}

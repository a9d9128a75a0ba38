import { buildPaths } from './paths.ts'
import { schemas } from './schemas.ts'

/**
 * Builds the commerce interface's OpenAPI 3.1 document. It only contains what is documented.
 *
 * @param baseUrl The address where it is served, including the version segment.
 */
export function buildOpenApiDocument(baseUrl: string): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Licensing, discounts and pagination interface of the commerce service',
      description:
        'Every request carries Authorization: Bearer <ACCESS_TOKEN> and Content-Type: application/json; list requests also carry Accept: application/json. Where this document says "not shown", nothing may be assumed. Rate limits: not shown.',
      version: 'v1',
    },
    servers: [{ url: baseUrl, description: 'The base URL ends with the version segment v1.' }],
    security: [{ accessToken: [] }],
    paths: buildPaths(),
    components: {
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'How a token is obtained, its lifetime and its scopes: not shown.',
        },
      },
      schemas,
    },
  }
}

import { customerSchema, discountSchema, productSchema } from '@latchkey/commerce/schemas'
import * as z from 'zod/mini'
import { dateSchema, idSchema, licenseKeySchema } from './data/data-schema.ts'
import { operationRoutes } from './formats/commerce.ts'
import type { Operation } from './formats/format.ts'

const text = z.string()
const count = z.int()

const license = z.strictObject({
  id: idSchema,
  activation_limit: count,
  expires_at: dateSchema,
  suspended_at: z.nullable(dateSchema),
  status: text,
  activation_usage: count,
  activation_usage_formatted: text,
  created_at: dateSchema,
  updated_at: dateSchema,
})

const links = z.strictObject({
  first: text,
  last: text,
  prev: z.nullable(text),
  next: z.nullable(text),
})

const meta = z.strictObject({
  current_page: count,
  from: count,
  to: count,
  last_page: count,
  per_page: count,
  total: count,
  path: text,
  links: z.array(z.strictObject({ url: z.nullable(text), label: text, active: z.boolean() })),
})

/** The objects of the interface, by the document's names. */
const named = {
  LicenseKey: licenseKeySchema,
  License: license,
  Product: productSchema,
  Discount: discountSchema,
  Customer: customerSchema,
  PageLinks: links,
  PageMeta: meta,
  KeyList: z.strictObject({ data: z.array(licenseKeySchema) }),
  ShownKey: z.strictObject({ data: licenseKeySchema }),
  Activation: z.strictObject({ license, key: licenseKeySchema }),
  Deactivation: z.strictObject({ message: text }),
  DeviceName: z.strictObject({ name: text }),
  KeyId: z.strictObject({ key: idSchema }),
  DiscountPage: z.strictObject({ data: z.array(discountSchema), links, meta }),
  CustomerPage: z.strictObject({ data: z.array(customerSchema), links, meta }),
} as const

const calls: Readonly<
  Record<Operation, { id: string; summary: string; body?: keyof typeof named; answer: keyof typeof named }>
> = {
  keys: { id: 'listKeys', summary: 'List keys', answer: 'KeyList' },
  key: { id: 'showKey', summary: 'Show key', answer: 'ShownKey' },
  activate: { id: 'activateKey', summary: 'Activate a key', body: 'DeviceName', answer: 'Activation' },
  validate: { id: 'validateKey', summary: 'Validate a key', body: 'KeyId', answer: 'Activation' },
  deactivate: { id: 'deactivateKey', summary: 'Deactivate a key', body: 'KeyId', answer: 'Deactivation' },
  discounts: { id: 'listDiscounts', summary: 'List all discounts', answer: 'DiscountPage' },
  customers: { id: 'listCustomers', summary: 'List customers', answer: 'CustomerPage' },
}

/**
 * Builds the commerce interface's OpenAPI 3.1 document from the schemas. It only contains what is documented.
 *
 * @param baseUrl The address where it is served, including the version segment.
 */
export function buildOpenApiDocument(baseUrl: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { operation, method, path } of operationRoutes) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(operation, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Licensing, discounts and pagination interface of the commerce service',
      description:
        'Every request carries Content-Type: application/json; list requests also carry Accept: application/json. Nothing may be assumed about what this document leaves open: status codes, the format of errors, limits, other values of status and type, the unit of a FIXED amount, the format of starts_at and ends_at, and whether List keys is paginated.',
      version: 'v1',
    },
    servers: [{ url: baseUrl, description: 'The base URL ends with the version segment v1.' }],
    security: [{ accessToken: [] }],
    paths,
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
      schemas: jsonSchemas(),
    },
  }
}

function describeOperation(operation: Operation, path: string): Record<string, unknown> {
  const { id, summary, body, answer } = calls[operation]
  const schema = { type: 'string', format: 'uuid' }
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema,
  }))
  const page = { name: 'page', in: 'query', required: false, schema: { type: 'integer' } }
  const contentOf = (name: string) => ({ 'application/json': { schema: { $ref: addressOf(name) } } })
  return {
    operationId: id,
    summary,
    parameters: ['discounts', 'customers'].includes(operation) ? [page] : ids,
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      '2XX': { description: 'Success status code: not shown.', content: contentOf(answer) },
      default: { description: 'Error response format, error codes and status codes: not shown.' },
    },
  }
}

function addressOf(name: string): string {
  return `#/components/schemas/${name}`
}

function jsonSchemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: addressOf,
    override({ zodSchema, jsonSchema }) {
      // Services may send more fields.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (Object.is(zodSchema, dateSchema))
        jsonSchema.pattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$'
    },
  })
  const entries = Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema])
  return Object.fromEntries(entries)
}

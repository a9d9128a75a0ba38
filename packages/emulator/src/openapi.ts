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

const activation = z.strictObject({ license, key: licenseKeySchema })

const pageLinks = z.strictObject({
  first: text,
  last: text,
  prev: z.nullable(text),
  next: z.nullable(text),
})

const pageMeta = z.strictObject({
  current_page: count,
  from: count,
  to: count,
  last_page: count,
  per_page: count,
  total: count,
  path: text,
  links: z.array(z.strictObject({ url: z.nullable(text), label: text, active: z.boolean() })),
})

function pageOf(item: z.ZodMiniType): z.ZodMiniType {
  return z.strictObject({ data: z.array(item), links: pageLinks, meta: pageMeta })
}

/** The objects of the interface, by the document's names. */
const named: Readonly<Record<string, z.ZodMiniType>> = {
  LicenseKey: licenseKeySchema,
  License: license,
  Product: productSchema,
  Discount: discountSchema,
  Customer: customerSchema,
  PageLinks: pageLinks,
  PageMeta: pageMeta,
}

const keyBody = z.strictObject({ key: idSchema })

const calls: Readonly<
  Record<Operation, { id: string; summary: string; body?: z.ZodMiniType; answer: z.ZodMiniType }>
> = {
  keys: {
    id: 'listKeys',
    summary: 'List keys',
    answer: z.strictObject({ data: z.array(licenseKeySchema) }),
  },
  key: { id: 'showKey', summary: 'Show key', answer: z.strictObject({ data: licenseKeySchema }) },
  activate: {
    id: 'activateKey',
    summary: 'Activate a key',
    body: z.strictObject({ name: text }),
    answer: activation,
  },
  validate: { id: 'validateKey', summary: 'Validate a key', body: keyBody, answer: activation },
  deactivate: {
    id: 'deactivateKey',
    summary: 'Deactivate a key',
    body: keyBody,
    answer: z.strictObject({ message: text }),
  },
  discounts: { id: 'listDiscounts', summary: 'List all discounts', answer: pageOf(discountSchema) },
  customers: { id: 'listCustomers', summary: 'List customers', answer: pageOf(customerSchema) },
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
      schemas: Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, jsonSchemaOf(schema, name)]),
      ),
    },
  }
}

function describeOperation(operation: Operation, path: string): Record<string, unknown> {
  const { id, summary, body, answer } = calls[operation]
  const uuid = { type: 'string', format: 'uuid' }
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: uuid,
  }))
  const page = { name: 'page', in: 'query', required: false, schema: { type: 'integer' } }
  return {
    operationId: id,
    summary,
    parameters: ['discounts', 'customers'].includes(operation) ? [page] : parameters,
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      '2XX': { description: 'Success status code: not shown.', content: contentOf(answer) },
      default: { description: 'Error response format, error codes and status codes: not shown.' },
    },
  }
}

function contentOf(schema: z.ZodMiniType): Record<string, unknown> {
  return { 'application/json': { schema: jsonSchemaOf(schema) } }
}

/** Converts a schema. Refers to the document's other schemas by name, except to the one that it defines. */
function jsonSchemaOf(schema: z.ZodMiniType, ownName?: string): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const name = Object.keys(named).find((key) => Object.is(named[key], zodSchema) && key !== ownName)
      if (name !== undefined) {
        for (const field of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, field)
        jsonSchema.$ref = `#/components/schemas/${name}`
      }
      // Services may send more fields.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (Object.is(zodSchema, dateSchema))
        jsonSchema.pattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$'
    },
  })
  return json
}

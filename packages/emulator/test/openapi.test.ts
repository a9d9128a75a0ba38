import { createCommerceClient } from '@latchkey/commerce'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import * as clientSchemas from '../../commerce/src/schemas.ts'
import { buildOpenApiDocument, type DialectName, type Emulator, startEmulator } from '../src/index.ts'
import type { JsonSchema } from '../src/openapi/json-schema.ts'
import { operationRoutes } from '../src/openapi/paths.ts'
import { schemas } from '../src/openapi/schemas.ts'
import { keyIdOf, type RawAnswer, rawRequests } from './raw-requests.ts'

let emulator: Emulator
beforeEach(async () => {
  emulator = await startEmulator()
})
afterEach(() => emulator.close())

it('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator()
  const result = await validator.validate(buildOpenApiDocument(emulator.baseUrl))
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

it('is served with the address of the service', async () => {
  const response = await fetch(`${emulator.origin}/openapi.json`)
  expect(await response.json()).toEqual(buildOpenApiDocument(emulator.baseUrl))
})

describe('the document and the client', () => {
  const { pageSchema, ...named } = clientSchemas
  const pairs: [name: string, schema: z.ZodMiniType][] = [
    ['LicenseKey', named.licenseKeySchema],
    ['License', named.licenseSchema],
    ['Product', named.productSchema],
    ['Discount', named.discountSchema],
    ['Customer', named.customerSchema],
    ['DiscountPage', pageSchema(named.discountSchema)],
    ['CustomerPage', pageSchema(named.customerSchema)],
    ['ShownLicenseKey', named.licenseKeyAnswerSchema],
    ['Activation', named.activationSchema],
    ['Validation', named.validationSchema],
    ['Deactivation', named.deactivationSchema],
  ]

  /** Fields that only a gateway sends. */
  const fromGateway = /^(?:license\.)?(?:plan|features)$/u

  it.each(pairs)('have the same fields of %s', (name, schema) => {
    const client = fieldsOf(z.toJSONSchema(schema, { io: 'input' })).filter(
      (field) => !fromGateway.test(field),
    )
    expect(client).not.toEqual([])
    expect(client).toEqual(fieldsOf(inlined(name)))
  })

  it.each([
    ['License', named.licenseSchema, ['id', 'status']],
    ['LicenseKey', named.licenseKeySchema, ['id']],
  ] as const)('the client requires what a decision needs of a %s, and no more', (_name, schema, needed) => {
    const fields = Object.keys(z.toJSONSchema(schema, { io: 'input' }).properties ?? {})
    const sample = { id: '4b11e191-a34e-424c-b391-d18776ed66b8', status: 'ACTIVE' }
    expect(schema.safeParse(sample).success).toBe(true)
    for (const field of fields) {
      const rest = Object.fromEntries(Object.entries(sample).filter(([name]) => name !== field))
      expect(schema.safeParse(rest).success, field).toBe(!needed.some((name) => name === field))
    }
  })

  it('agree on every operation that the client calls', async () => {
    const commerce = createCommerceClient({ baseUrl: emulator.baseUrl, accessToken: 'demo' })
    const { id } = emulator.demoLicense
    const { key } = await commerce.licenses.activate(id, { name: 'Laptop' })
    await commerce.licenses.keys(id)
    await commerce.licenses.key(id, key.id)
    await commerce.licenses.validate(id, { key: key.id })
    await commerce.licenses.deactivate(id, { key: key.id })
    await commerce.discounts.list()
    await commerce.customers.list({ page: 2 })
    const asked = emulator.control.requests().map(({ method, path }) => ({
      method: method.toLowerCase(),
      path: path.replace(/\?.*/, '').replace(id, '{id}').replace(key.id, '{key}'),
    }))
    const shown = operationRoutes.map(({ method, path }) => ({ method, path }))
    expect(new Set(asked.map((route) => JSON.stringify(route)))).toEqual(
      new Set(shown.map((route) => JSON.stringify(route))),
    )
  })
})

describe.each(['default', 'plain', 'strict'] satisfies DialectName[])(
  'the document and the emulator in the dialect "%s"',
  (dialect) => {
    it('agree on every field of every answer, with no extra fields', async () => {
      emulator.control.useDialect(dialect)
      emulator.control.setTotals({ customers: 26, discounts: 60 })
      const requests = rawRequests(emulator)
      const activation = await requests.activate('Laptop')
      const keyId = keyIdOf(activation)
      const answers: [schema: string, answer: RawAnswer][] = [
        ['Activation', activation],
        ['Validation', await requests.validate(keyId)],
        ['ShownLicenseKey', await requests.key(keyId)],
        [dialect === 'strict' ? 'PagedLicenseKeys' : 'LicenseKeyList', await requests.keys()],
        ['Deactivation', await requests.deactivate(keyId)],
        ['CustomerPage', await requests.send('GET', '/customers')],
        ['CustomerPage', await requests.send('GET', '/customers?page=2')],
        ['DiscountPage', await requests.send('GET', '/discounts?page=3')],
      ]
      for (const [schema, { status, body }] of answers) {
        expect(status).toBeGreaterThanOrEqual(200)
        expect(status).toBeLessThan(300)
        expect(mistakesIn(schema, body)).toEqual([])
      }
    })
  },
)

it('reports an answer that differs from the document', async () => {
  const activation = await rawRequests(emulator).activate('Laptop')
  const strays = ['license.expires_at', 'license.activation_usage', 'key.created_at', 'key.id']
  for (const field of strays) {
    emulator.control.faults.clear()
    emulator.control.faults.inject({ fault: 'wrong-types', fields: [field] })
    const { body } = await rawRequests(emulator).validate(keyIdOf(activation))
    expect(mistakesIn('Validation', body)).toEqual([expect.stringContaining(field.replace('.', '/'))])
  }
  expect(mistakesIn('Customer', { id: keyIdOf(activation), name: '', email: '', phone: '' })).toHaveLength(1)
})

/** Lists where `body` differs from a schema of the document. Unknown fields count as mistakes. */
function mistakesIn(name: string, body: unknown): string[] {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { uuid } })
  ajv.addVocabulary(['components'])
  const paged = { ...schemas, PagedLicenseKeys: pagedKeys() }
  ajv.addSchema({ $id: 'document', components: { schemas: closed(paged) } })
  ajv.validate({ $ref: `document#/components/schemas/${name}` }, body)
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
}

// The interface doesn't show whether keys have pages. A dialect with pages uses the same fields as other lists.
function pagedKeys(): JsonSchema {
  const customers = schemas['CustomerPage']
  return {
    ...customers,
    properties: { ...customers?.properties, data: schemas['LicenseKeyList']?.properties?.['data'] ?? {} },
  }
}

function closed(all: Record<string, JsonSchema>): unknown {
  return JSON.parse(JSON.stringify(all), (_name, value: unknown) =>
    isSchema(value) && value.properties && value.type === 'object'
      ? { ...value, additionalProperties: false }
      : value,
  )
}

/** A schema of the document with every reference resolved. */
function inlined(name: string): unknown {
  return JSON.parse(JSON.stringify(schemas[name]), (_name, value: unknown) =>
    isSchema(value) && value.$ref !== undefined ? inlined(value.$ref.split('/').at(-1) ?? '') : value,
  )
}

/** The names of all fields at any depth, such as `license.status`. A list counts as its items. */
function fieldsOf(schema: unknown, path = ''): string[] {
  if (!isSchema(schema)) return []
  const items = fieldsOf(schema.items, path)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = path === '' ? name : `${path}.${name}`
    return [place, ...fieldsOf(field, place)]
  })
  return [...items, ...fields, ...(schema.anyOf ?? []).flatMap((one) => fieldsOf(one, path))].sort()
}

function isSchema(value: unknown): value is JsonSchema & { anyOf?: JsonSchema[] } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import type { Operation } from '../operations.ts'
import { integer, type JsonSchema, objectOf, ref, string, uuid } from './json-schema.ts'

/** The route of an operation. Routes and document are generated from the same table. */
export interface OperationRoute {
  operation: Operation
  method: 'get' | 'post' | 'delete'
  /** Path relative to the base path, with parameters as `{name}`. */
  path: string
}

/** Every operation of the interface. */
export const operationRoutes: readonly OperationRoute[] = [
  { operation: 'keys', method: 'get', path: '/licenses/{id}/keys' },
  { operation: 'activate', method: 'post', path: '/licenses/{id}/activate' },
  { operation: 'validate', method: 'post', path: '/licenses/{id}/validate' },
  { operation: 'key', method: 'get', path: '/licenses/{id}/keys/{key}' },
  { operation: 'deactivate', method: 'delete', path: '/licenses/{id}/deactivate' },
  { operation: 'discounts', method: 'get', path: '/discounts' },
  { operation: 'customers', method: 'get', path: '/customers' },
]

interface Description {
  operationId: string
  summary: string
  description?: string
  body?: JsonSchema
  hasPage?: boolean
  answer: string
  answerDescription: string
}

const keyBody = objectOf({ key: { ...uuid, description: 'The uuid of the key.' } })

const descriptions: Record<Operation, Description> = {
  keys: {
    operationId: 'listKeys',
    summary: 'List keys',
    answer: 'LicenseKeyList',
    answerDescription: 'The keys of the license.',
  },
  activate: {
    operationId: 'activateKey',
    summary: 'Activate a key',
    description:
      'Validates the key, checks usage limits and sets the status to ACTIVE. Behaviour when activation_usage has reached activation_limit: not shown.',
    body: objectOf({ name: string }),
    answer: 'Activation',
    answerDescription: 'The license, and the key created for the activation.',
  },
  validate: {
    operationId: 'validateKey',
    summary: 'Validate a key',
    description:
      'Checks that the key is valid, active and authorized for the product. Response for an invalid key: not shown.',
    body: keyBody,
    answer: 'Validation',
    answerDescription: 'The license and the key.',
  },
  key: {
    operationId: 'showKey',
    summary: 'Show key',
    answer: 'ShownLicenseKey',
    answerDescription: 'The key.',
  },
  deactivate: {
    operationId: 'deactivateKey',
    summary: 'Deactivate a key',
    body: keyBody,
    answer: 'Deactivation',
    answerDescription: 'States that the license key was deactivated successfully.',
  },
  discounts: {
    operationId: 'listDiscounts',
    summary: 'List all discounts',
    hasPage: true,
    answer: 'DiscountPage',
    answerDescription: 'One page of discounts, 25 by default. Maximum page size: not shown.',
  },
  customers: {
    operationId: 'listCustomers',
    summary: 'List customers',
    hasPage: true,
    answer: 'CustomerPage',
    answerDescription: 'One page of customers, 25 by default. Maximum page size: not shown.',
  },
}

/** The document's paths. */
export function buildPaths(): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { operation, method, path } of operationRoutes) {
    paths[path] = { ...paths[path], [method]: buildOperation(path, descriptions[operation]) }
  }
  return paths
}

function buildOperation(path: string, description: Description): Record<string, unknown> {
  const { body, hasPage = false, answer, answerDescription, ...texts } = description
  const parameters = [
    ...(path.includes('{id}') ? [pathParameter('id', 'The license uuid.')] : []),
    ...(path.includes('{key}') ? [pathParameter('key', 'The key uuid.')] : []),
    ...(hasPage
      ? [{ name: 'page', in: 'query', required: false, description: 'The page number.', schema: integer }]
      : []),
  ]
  return {
    ...texts,
    parameters,
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      '2XX': {
        description: `${answerDescription} Success status code: not shown.`,
        content: { 'application/json': { schema: ref(answer) } },
      },
      default: { description: 'Error response format, error codes and status codes: not shown.' },
    },
  }
}

function pathParameter(name: string, description: string): Record<string, unknown> {
  return { name, in: 'path', required: true, description, schema: uuid }
}

/** The part of JSON Schema that the document uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  pattern?: string
  enum?: string[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
}

export const string: JsonSchema = { type: 'string' }
export const boolean: JsonSchema = { type: 'boolean' }
export const integer: JsonSchema = { type: 'integer' }
export const number: JsonSchema = { type: 'number' }
export const uuid: JsonSchema = { type: 'string', format: 'uuid' }

/** A pattern, because `date-time` would allow other offsets and other numbers of digits. */
export const timestamp: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
}

/** Makes a schema nullable. */
export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type ?? [], 'null'].flat() }
}

/** Adds a description to a schema. */
export function noted(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description }
}

/** Creates an array schema. */
export function arrayOf(items: JsonSchema, description?: string): JsonSchema {
  return { type: 'array', ...(description !== undefined && { description }), items }
}

/** Refers to a named schema of the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Creates an object schema in which all fields are required and other fields are allowed. */
export function objectOf(properties: Record<string, JsonSchema>, description?: string): JsonSchema {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required: Object.keys(properties),
  }
}

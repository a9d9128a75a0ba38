import type { Emulator } from '../src/index.ts'

/** An answer and its body. */
export interface RawAnswer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON. `undefined` if it isn't JSON. */
  body: unknown
}

/** The value at a dotted path of an answer's body. `undefined` if there is none. */
export function at({ body }: Pick<RawAnswer, 'body'>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => {
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(step) : undefined
  }, body)
}

/** The id of the key in an answer to *activate* or *validate*. */
export function keyIdOf(answer: RawAnswer): string {
  return String(at(answer, 'key.id'))
}

/** Sends requests of the interface without a client. */
export interface RawRequests {
  keys(licenseId?: string): Promise<RawAnswer>
  key(keyId: string, licenseId?: string): Promise<RawAnswer>
  activate(name: string, licenseId?: string): Promise<RawAnswer>
  validate(keyId: string, licenseId?: string): Promise<RawAnswer>
  deactivate(keyId: string, licenseId?: string): Promise<RawAnswer>
  send(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<RawAnswer>
}

/** The address and the license of requests. */
export interface ServiceAddress extends Pick<Emulator, 'baseUrl' | 'accessToken'> {
  demoLicense: { id: string }
}

/** Requests to this service, about its demo license unless another one is given. */
export function rawRequests({ baseUrl, accessToken, demoLicense }: ServiceAddress): RawRequests {
  const send: RawRequests['send'] = async (method, path, { body, headers } = {}) => {
    const isEncoded = typeof body === 'string' || body instanceof URLSearchParams
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: headers ?? {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      ...(body !== undefined && { body: isEncoded ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parseJson(text) }
  }
  const { id } = demoLicense
  return {
    send,
    keys: (licenseId = id) => send('GET', `/licenses/${licenseId}/keys`),
    key: (keyId, licenseId = id) => send('GET', `/licenses/${licenseId}/keys/${keyId}`),
    activate: (name, licenseId = id) => send('POST', `/licenses/${licenseId}/activate`, { body: { name } }),
    validate: (key, licenseId = id) => send('POST', `/licenses/${licenseId}/validate`, { body: { key } }),
    deactivate: (key, licenseId = id) =>
      send('DELETE', `/licenses/${licenseId}/deactivate`, { body: { key } }),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

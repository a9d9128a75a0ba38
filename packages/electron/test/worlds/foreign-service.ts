import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dialect, plainDialect, responseOf, type WireAnswer } from './dialect.ts'

/**
 * A commerce service written only from the interface document. It shares no code with the emulator, so a mistake in
 * reading the interface cannot be on both sides.
 */
export interface ForeignService {
  /** How it answers where the interface is unspecified. Can be changed at any time. */
  dialect: Dialect
  readonly licenses: ReadonlyMap<string, ForeignLicense>
  /** Every request it received, as `POST activate` or `GET keys`. */
  readonly asked: string[]
  addLicense(license?: Partial<Omit<ForeignLicense, 'id' | 'keys' | 'goneKeys'>>): ForeignLicense
  /** Serves one request without a network. */
  fetch: (request: Request) => Promise<Response>
  /** Serves over HTTP on a free port. @returns the base URL and a way to stop. */
  listen(): Promise<{ readonly baseUrl: string; close(): Promise<void> }>
}

/** A license as the vendor sees it. */
export interface ForeignLicense {
  readonly id: string
  limit: number
  expiresAtMs: number | null
  suspendedAtMs: number | null
  status: string
  keys: ForeignKey[]
  /** Deactivated keys, which take no seat. */
  goneKeys: ForeignKey[]
}

/** One taken seat. */
export interface ForeignKey {
  readonly id: string
  readonly name: string
  readonly createdAtMs: number
}

/** @param nowMs the true time. */
export function createForeignService(nowMs: () => number, dialect: Dialect = plainDialect): ForeignService {
  const licenses = new Map<string, ForeignLicense>()
  const asked: string[] = []

  const service: ForeignService = {
    dialect,
    licenses,
    asked,
    addLicense(given = {}) {
      const license: ForeignLicense = {
        id: randomUUID(),
        limit: 3,
        expiresAtMs: nowMs() + 400 * 86_400_000,
        suspendedAtMs: null,
        status: 'ACTIVE',
        ...given,
        keys: [],
        goneKeys: [],
      }
      licenses.set(license.id, license)
      return license
    },
    async fetch(request) {
      const answer = answerTo(request.method, new URL(request.url), await request.text())
      return responseOf(answer)
    },
    async listen() {
      const server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const host = `http://${request.headers.host ?? 'localhost'}`
          const text = Buffer.concat(chunks).toString('utf8')
          const answer = answerTo(request.method ?? 'GET', new URL(request.url ?? '/', host), text)
          response.sendDate = false
          response.writeHead(answer.status, answer.headers)
          response.end(answer.body ?? undefined)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      return {
        baseUrl: `http://127.0.0.1:${port}/v1`,
        async close() {
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        },
      }
    },
  }

  function answerTo(method: string, url: URL, text: string): WireAnswer {
    const route = /^\/v1\/licenses\/([^/]+)\/(keys|activate|validate|deactivate)(?:\/([^/]+))?$/u.exec(
      url.pathname,
    )
    const [, licenseId = '', name = '', keyId = ''] = route ?? []
    const operation = `${method} ${name}${keyId === '' ? '' : '/one'}`
    asked.push(operation)
    const license = licenses.get(licenseId.toLowerCase())
    if (license === undefined) return refuse('unknownLicense')
    const body = bodyOf(text)
    const { goneKeys } = service.dialect
    switch (operation) {
      case 'GET keys': {
        const listed = goneKeys === undefined ? license.keys : [...license.goneKeys, ...license.keys]
        return dated(service.dialect.listAnswer(listed.map(wireKey('list')), url))
      }
      case 'GET keys/one': {
        const key =
          find(license.keys, keyId) ?? (goneKeys?.isShown ? find(license.goneKeys, keyId) : undefined)
        return key === undefined
          ? refuse('goneKeyShown')
          : say(service.dialect.showStatus, { data: wireKey('show')(key) })
      }
      case 'POST activate': {
        const wanted = body['name']
        if (typeof wanted !== 'string' || wanted === '') return refuse('badRequest')
        const isUsable = license.status === 'ACTIVE' && license.suspendedAtMs === null
        const isOver = license.expiresAtMs !== null && nowMs() >= license.expiresAtMs
        if (!isUsable || isOver) return refuse('unusableLicense')
        if (license.keys.length >= license.limit) return refuse('fullLicense')
        const key = { id: randomUUID(), name: service.dialect.storedName(wanted), createdAtMs: nowMs() }
        license.keys.push(key)
        return say(service.dialect.activateStatus, {
          license: wireLicense(license),
          key: wireKey('activate')(key),
        })
      }
      case 'POST validate': {
        const key = find(license.keys, body['key'])
        if (key === undefined) return refuse('goneKeyValidated')
        return say(service.dialect.validateStatus, {
          license: wireLicense(license),
          key: wireKey('validate')(key),
        })
      }
      case 'DELETE deactivate': {
        const key = find(license.keys, body['key'])
        if (key === undefined) {
          const isConfirmed = goneKeys?.isConfirmedAgain && find(license.goneKeys, body['key']) !== undefined
          return isConfirmed ? dated(service.dialect.deactivateAnswer) : refuse('goneKeyDeactivated')
        }
        license.goneKeys.push(...license.keys.splice(license.keys.indexOf(key), 1))
        return dated(service.dialect.deactivateAnswer)
      }
      default:
        return refuse('badRequest')
    }
  }

  const find = (keys: readonly ForeignKey[], keyId: unknown): ForeignKey | undefined =>
    keys.find((key) => typeof keyId === 'string' && key.id === keyId.toLowerCase())

  const dated = (answer: WireAnswer): WireAnswer => service.dialect.dated(answer, nowMs())
  const refuse = (what: keyof Dialect['refusals']): WireAnswer => dated(service.dialect.refusals[what])
  const say = (status: number, body: unknown): WireAnswer => dated(service.dialect.encode(status, body))

  function wireLicense(license: ForeignLicense): Record<string, unknown> {
    const usage = license.keys.length
    return service.dialect.license({
      id: license.id,
      activation_limit: license.limit,
      expires_at: license.expiresAtMs === null ? null : timestamp(license.expiresAtMs),
      suspended_at: license.suspendedAtMs === null ? null : timestamp(license.suspendedAtMs),
      status: license.status,
      activation_usage: usage,
      activation_usage_formatted: `${usage}/${license.limit}`,
      created_at: timestamp(Date.UTC(2025, 0, 1)),
      updated_at: timestamp(Date.UTC(2025, 0, 1)),
    })
  }

  function wireKey(place: 'list' | 'show' | 'activate' | 'validate') {
    return ({ id, name, createdAtMs }: ForeignKey): Record<string, unknown> => {
      const at = timestamp(createdAtMs)
      return service.dialect.key({ id, name, created_at: at, updated_at: at }, place)
    }
  }

  return service
}

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

function bodyOf(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}

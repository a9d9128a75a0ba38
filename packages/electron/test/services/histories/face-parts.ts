import type { LicenseData, LicenseKeyData } from '../../../../emulator/src/data/service-data.ts'
import type { Format, FormatRoute } from '../../../../emulator/src/formats/format.ts'
import type { ModelKey, ModelLicense } from '../../core/service-model.ts'
import type { AdapterName } from '../faces.ts'

/** Finds the endpoint of a request, and its path's parameters. */
export function routeOf(
  face: Format,
  method: string,
  { pathname }: URL,
): { readonly route: FormatRoute; readonly params: Readonly<Record<string, string>> } {
  for (const route of face.routes) {
    const pattern = route.path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)')
    const found = new RegExp(`^${pattern}$`, 'u').exec(pathname)
    if (found !== null && route.method === method) return { route, params: found.groups ?? {} }
  }
  throw new Error(`The face has no ${method} ${pathname}`)
}

/** A license as the stories change it: each change is one at the face's own data. */
export function modelLicense(
  name: AdapterName,
  licenseKey: string,
  data: LicenseData,
  nowMs: () => number,
): ModelLicense {
  return {
    id: licenseKey,
    limit: data.activation_limit,
    get expiresAtMs() {
      return data.expires_at === null ? null : Date.parse(data.expires_at)
    },
    set expiresAtMs(ms) {
      data.expires_at = ms === null ? null : new Date(ms).toISOString()
    },
    get isSuspended() {
      return data.suspended_at !== null
    },
    set isSuspended(isSuspended) {
      data.suspended_at = isSuspended ? new Date(nowMs()).toISOString() : null
    },
    get status() {
      return data.status
    },
    set status(status) {
      // Keygen knows no such status. A license that is overdue is as good as closed.
      data.status = name === 'keygen' && status === 'CLOSED' ? 'OVERDUE' : status
    },
    get keys() {
      return data.keys.map((key) => keyOf(name, key))
    },
    set keys(_) {
      throw new Error('Use removeKey')
    },
  }
}

/** An activation as the stories count it: the service may keep the fingerprint apart from the name. */
export function keyOf(name: AdapterName, key: LicenseKeyData): ModelKey {
  const label = key.name === 'Work laptop' ? 'Work laptop [0000000000000000]' : key.name
  return { id: serviceIdOf(name, key), name: label, created_at: key.created_at, updated_at: key.updated_at }
}

/** The ID that the service gives an activation. */
export function serviceIdOf(name: AdapterName, { id }: LicenseKeyData): string {
  return name === 'dodo' ? `lki_${id.replaceAll('-', '').slice(0, 20)}` : id
}

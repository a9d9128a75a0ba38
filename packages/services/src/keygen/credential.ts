import type { KeygenSettings } from './options.ts'

/** Authorizes with the license key, or with the vendor's token if it is set. */
export function credential({ token }: KeygenSettings, licenseKey: string): { authorization: string } {
  return { authorization: token === undefined ? `License ${licenseKey}` : `Bearer ${token}` }
}

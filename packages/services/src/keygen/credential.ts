import type { KeygenSettings } from './options.ts'

/** Authorizes with the license key, or with the vendor's token if it is set: https://keygen.sh/docs/api/authentication/ */
export function credential({ token }: KeygenSettings, licenseKey: string): { authorization: string } {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (/^[\x21-\x7e]+$/u.test(licenseKey)) return { authorization: `License ${licenseKey}` }
  // A header can't contain other characters, such as a custom key's letters.
  const bytes = new TextEncoder().encode(`license:${licenseKey}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

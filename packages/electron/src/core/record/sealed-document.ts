import * as v from 'valibot'
import type { ProblemCode } from '../../shared/problem.ts'
import type { DeviceIdentity } from '../ports/device-port.ts'
import type { SealedText, SealTier, SecretsPort } from '../ports/secrets-port.ts'
import type { JsonObject } from '../ports/store-port.ts'
import { type Vault, vaultSchema } from './vault.ts'

/** The document on disk: the device in plain text, the vault sealed. */
export interface SealedDocument {
  readonly version: typeof version
  /** Identifies the app, only to explain why a record can't be opened. Not used for trust. */
  readonly app: string
  /** The device that wrote it; `null` before it was identified. */
  readonly device: DeviceIdentity | null
  readonly tier: SealTier
  /** The vault as JSON text: encrypted, or unchanged if `tier` is `plain`. */
  readonly sealed: string
  /** Hex HMAC over device, tier and sealed text. Reveals edits if nothing is encrypted. */
  readonly mac: string
}

/** An opened document, or why it is not trusted. */
export type OpenedDocument =
  | {
      readonly ok: true
      readonly vault: Vault
      readonly device: DeviceIdentity | null
      readonly tier: SealTier
    }
  | {
      readonly ok: false
      readonly code: ProblemCode
      /** The device that wrote it, if that part can be trusted. Its name is used to find this device's seat again. */
      readonly device: DeviceIdentity | null
    }

/** The version of the format. A document with a higher one is left as it is. */
const version = 1

const text = v.string()

const deviceSchema: v.GenericSchema<unknown, DeviceIdentity> = v.object({
  fingerprint: v.pipe(text, v.regex(/^[0-9a-f]{16}$/u)),
  label: text,
  source: v.picklist(['machine-id', 'override', 'random']),
  randomId: v.nullable(text),
})

const versionSchema = v.object({ version: v.pipe(v.number(), v.safeInteger()) })

const documentSchema = v.object({
  version: v.literal(version),
  app: text,
  device: v.nullable(deviceSchema),
  tier: v.picklist(['keychain', 'basic', 'plain']),
  sealed: text,
  mac: text,
})

/** Seals a vault as well as this system can. */
export async function sealDocument(
  vault: Vault,
  device: DeviceIdentity | null,
  secrets: SecretsPort,
): Promise<{ readonly document: JsonObject; readonly tier: SealTier }> {
  const text = await secrets.seal(JSON.stringify(vault))
  return { document: documentOf(text, device, secrets), tier: text.tier }
}

/** Seals a vault synchronously; `null` if this system can't do so without waiting. */
export function sealDocumentNow(
  vault: Vault,
  device: DeviceIdentity | null,
  secrets: SecretsPort,
): JsonObject | null {
  const text = secrets.sealNow(JSON.stringify(vault))
  return text && documentOf(text, device, secrets)
}

function documentOf(
  { tier, sealed }: SealedText,
  device: DeviceIdentity | null,
  secrets: SecretsPort,
): JsonObject {
  return {
    version,
    app: appMark(secrets),
    device: device && identityOf(device),
    tier,
    sealed,
    mac: secrets.authenticate(device?.fingerprint ?? '', authenticated(tier, device, sealed)),
  }
}

/** Opens a document found on disk. Parses everything, and trusts only what it can open. */
export async function openDocument(found: unknown, secrets: SecretsPort): Promise<OpenedDocument> {
  const parsed = v.safeParse(documentSchema, found)
  if (!parsed.success) return { ok: false, code: faultOf(found), device: null }
  const { device, tier, sealed, mac } = parsed.output
  if (mac !== secrets.authenticate(device?.fingerprint ?? '', authenticated(tier, device, sealed))) {
    return { ok: false, code: 'store-edited', device: null }
  }
  const text = await secrets.open(tier, sealed)
  if (text === null) return { ok: false, code: 'store-undecryptable', device }
  const vault = parseVault(text)
  return vault === null ? { ok: false, code: 'store-unreadable', device } : { ok: true, vault, device, tier }
}

/** Why a document that this version can't parse isn't opened. */
function faultOf(found: unknown): ProblemCode {
  const versioned = v.safeParse(versionSchema, found)
  const isNewer = versioned.success && versioned.output.version > version
  return isNewer ? 'store-newer-version' : 'store-unreadable'
}

/** Whether a document was written under another app ID, so that it can't be opened. */
export function isOfAnotherApp(found: unknown, secrets: SecretsPort): boolean {
  const marked = v.safeParse(v.object({ app: text }), found)
  return marked.success && marked.output.app !== appMark(secrets)
}

function appMark(secrets: SecretsPort): string {
  return secrets.authenticate('', 'the mark of this app').slice(0, 16)
}

function identityOf({ fingerprint, label, source, randomId }: DeviceIdentity): JsonObject {
  return { fingerprint, label, source, randomId }
}

/** Everything that is authenticated: all but the label, because the computer's name may change. */
function authenticated(tier: SealTier, device: DeviceIdentity | null, sealed: string): string {
  const identity = device === null ? null : [device.fingerprint, device.source, device.randomId]
  return JSON.stringify([version, tier, identity, sealed])
}

function parseVault(text: string): Vault | null {
  try {
    const parsed = v.safeParse(vaultSchema, JSON.parse(text))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  webcrypto,
} from 'node:crypto'
import { readFeatures, readPlan } from '@latchkey/commerce'
import {
  findOfflineText,
  type OfflineTextFault,
  offlineClaimsSchema,
  offlineType,
  releaseMarkOf,
  releaseStatement,
  trustedKeyLength,
  wrapOfflineText,
  writeOfflineRequest,
  writeReleaseCode,
} from '@latchkey/services/offline'
import type { OfflinePort } from '../../core/ports.ts'
import type { OfflineProblemCode } from '../../shared/offline-problem.ts'
import type { LeaseVerifier } from './leases.ts'

/** What requests and answers need. */
export interface OfflinePortOptions {
  readonly appId: string
  /** Address of the page that answers requests. */
  readonly url: string
  readonly verifier: LeaseVerifier
}

const faultCodes: Readonly<Record<OfflineTextFault, OfflineProblemCode>> = {
  nothing: 'no-offline-answer',
  'too-long': 'offline-answer-too-long',
  'other-kind': 'offline-request-as-answer',
  'online-lease': 'online-lease-as-answer',
  torn: 'offline-answer-torn',
  newer: 'offline-answer-newer',
}

/** The page gives no answer to a release code, so its user isn't sent there. */
function codeOfFault(fault: OfflineTextFault, text: string): OfflineProblemCode {
  if (fault !== 'other-kind') return faultCodes[fault]
  const release = findOfflineText('release', text)
  return release.ok || release.fault !== fault ? 'no-offline-answer' : faultCodes[fault]
}

/** Creates the port. Loaded when a request is created or an answer is read. */
export function createOfflinePort({ appId, url, verifier }: OfflinePortOptions): OfflinePort {
  const trustedKeys = verifier.keyIds.slice(0, 8).map((keyId) => keyId.slice(0, trustedKeyLength))
  return {
    createNonce: () => randomBytes(18).toString('base64url'),
    createSecret: () =>
      generateKeyPairSync('ed25519')
        .privateKey.export({ type: 'pkcs8', format: 'der' })
        .toString('base64url'),
    async writeRequest({ licenseKey, fingerprint, label, nonce, secret, leaves }) {
      const deviceName = label.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').slice(0, 64)
      const text = writeOfflineRequest({
        app: appId,
        deviceName,
        fingerprint,
        nonce,
        licenseKey,
        trustedKeys,
        releaseKey: publicPart(secret),
        leaves: await Promise.all(leaves.map((activationId) => releaseMarkOf(activationId, webcrypto))),
      })
      return { text: wrapOfflineText(text), link: `${url}#${text}` }
    },
    readAnswer(text) {
      const found = findOfflineText('answer', text)
      if (!found.ok) return { ok: false, code: codeOfFault(found.fault, text) }
      const jws = found.payload
      const opened = verifier.open(jws, offlineType)
      if (!opened.ok) return opened
      const parsed = offlineClaimsSchema.safeParse(opened.payload)
      // Signed by the vendor and still not readable: a later release wrote it.
      if (!parsed.success) return { ok: false, code: 'offline-answer-newer' }
      const { app, lid, key, fp, nonce, iat, exp, lex, lim, use, plan, feat } = parsed.data
      const license = {
        activationLimit: lim,
        activationUsage: use,
        expiresAt: lex,
        plan: readPlan(plan) ?? null,
        features: readFeatures(feat) ?? [],
      }
      return {
        ok: true,
        answer: {
          jws,
          isForThisApp: app === appId,
          activationId: key,
          fingerprint: fp,
          nonce,
          issuedAtMs: iat * 1000,
          expiresAtMs: exp * 1000,
          license,
          isAbout: (licenseKey) => verifier.areAbout({ lid, key }, { licenseKey, activationId: key }),
        },
      }
    },
    writeRelease({ jws, secret }, nowMs) {
      const opened = verifier.open(jws, offlineType)
      const parsed = offlineClaimsSchema.safeParse(opened.ok ? opened.payload : null)
      if (!parsed.success || parsed.data.rel === undefined) return null
      const statement = releaseStatement(parsed.data.rel, nowMs)
      const signature = sign(null, Buffer.from(statement), privateKey(secret)).toString('base64url')
      return `${url}#${writeReleaseCode(statement, signature)}`
    },
  }
}

function privateKey(secret: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(secret, 'base64url'), type: 'pkcs8', format: 'der' })
}

/** The raw public key: the last 32 bytes of its DER form. */
function publicPart(secret: string): string {
  const der = createPublicKey(privateKey(secret)).export({ type: 'spki', format: 'der' })
  return der.subarray(-32).toString('base64url')
}

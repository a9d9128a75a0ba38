import * as v from 'valibot'
import { parseTimestamp } from '../../shared/timestamp.ts'
import type { OpenedDocument } from './sealed-document.ts'
import { emptyVault } from './vault.ts'

/** Version 1 was not sealed and had neither outbox nor high-water mark. Most launches don't need this schema. */
function createDocumentSchema() {
  const id = v.pipe(v.string(), v.uuid())
  const timestamp = v.pipe(v.string(), v.transform(parseTimestamp), v.number('not a timestamp'))
  const amount = v.pipe(v.number(), v.finite())
  return v.object({
    version: v.literal(1),
    record: v.nullable(
      v.object({
        licenseId: id,
        keyId: id,
        fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/u)),
        activatedAt: timestamp,
        validatedAt: timestamp,
        license: v.object({
          activationLimit: amount,
          activationUsage: amount,
          expiresAt: v.nullable(v.string()),
          suspendedAt: v.nullable(v.string()),
          status: v.string(),
        }),
      }),
    ),
  })
}

/** Reads a version 1 document. Version 1 only saved a record after a valid answer. */
export function migrateVersion1(found: unknown): OpenedDocument {
  const parsed = v.safeParse(createDocumentSchema(), found)
  if (!parsed.success) return { ok: false, code: 'store-unreadable', device: null }
  const { record } = parsed.output
  if (record === null) return { ok: true, vault: emptyVault, device: null, tier: 'plain' }
  const { activatedAt, validatedAt, ...kept } = record
  return {
    ok: true,
    tier: 'plain',
    device: null,
    vault: {
      ...emptyVault,
      markMs: validatedAt,
      activation: {
        ...kept,
        activatedAtMs: activatedAt,
        verdict: 'valid',
        decidedAtMs: validatedAt,
        validAtMs: validatedAt,
      },
    },
  }
}

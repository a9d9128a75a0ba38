import * as v from 'valibot'
import { parseTimestamp } from '../../shared/timestamp.ts'
import type { OpenedDocument } from './sealed-document.ts'
import { emptyVault } from './vault.ts'

const timestampSchema = v.pipe(v.string(), v.transform(parseTimestamp), v.number('not a timestamp'))

/** Version 1 was not sealed and had neither outbox nor high-water mark. */
const documentSchema = v.object({
  version: v.literal(1),
  record: v.nullable(
    v.object({
      licenseId: v.pipe(v.string(), v.uuid()),
      keyId: v.pipe(v.string(), v.uuid()),
      fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/u)),
      activatedAt: timestampSchema,
      validatedAt: timestampSchema,
      license: v.object({
        activationLimit: v.number(),
        activationUsage: v.number(),
        expiresAt: v.nullable(v.string()),
        suspendedAt: v.nullable(v.string()),
        status: v.string(),
      }),
    }),
  ),
})

/** Reads a version 1 document. Version 1 only saved a record after a valid answer. */
export function migrateVersion1(found: unknown): OpenedDocument {
  const parsed = v.safeParse(documentSchema, found)
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

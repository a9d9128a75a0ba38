import * as z from 'zod/mini'
import { parseTimestamp } from '../../shared/timestamp.ts'
import type { OpenedDocument } from './sealed-document.ts'
import { emptyVault } from './vault.ts'

const timestampSchema = z.lazy(() =>
  z.pipe(
    z.string(),
    z.transform((text, context) => {
      const ms = parseTimestamp(text)
      if (ms !== null) return ms
      context.issues.push({ code: 'custom', message: 'not a timestamp', input: text })
      return z.NEVER
    }),
  ),
)

/** Version 1 was not sealed and had neither outbox nor high-water mark. */
const documentSchema = z.lazy(() =>
  z.object({
    version: z.literal(1),
    record: z.nullable(
      z.object({
        licenseId: z.guid(),
        keyId: z.guid(),
        fingerprint: z.string().check(z.regex(/^[0-9a-f]{16}$/u)),
        activatedAt: timestampSchema,
        validatedAt: timestampSchema,
        license: z.object({
          activationLimit: z.number(),
          activationUsage: z.number(),
          expiresAt: z.nullable(z.string()),
          suspendedAt: z.nullable(z.string()),
          status: z.string(),
        }),
      }),
    ),
  }),
)

/** Reads a version 1 document. Version 1 only saved a record after a valid answer. */
export function migrateVersion1(found: unknown): OpenedDocument {
  const parsed = documentSchema.safeParse(found)
  if (!parsed.success) return { ok: false, code: 'store-unreadable', device: null }
  const { record } = parsed.data
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

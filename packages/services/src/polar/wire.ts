import * as z from 'zod/mini'

// https://polar.sh/docs/api-reference/customer-portal/license-keys/validate
// Only fields that Latchkey needs are required.

/** A license key object. */
export interface PolarLicenseKey {
  id: string
  key: string
  benefit_id: string
  status?: string | null | undefined
  limit_activations?: number | null | undefined
  expires_at?: string | null | undefined
}

/** An activation. The API never returns its `conditions`. */
export interface PolarActivation {
  id: string
  label?: string | null | undefined
  meta?: { device?: string | undefined } | null | undefined
  created_at?: string | null | undefined
}

/** The response to *activate*. */
export type ActivateAnswer = PolarActivation & { license_key: PolarLicenseKey }

/** The response to *validate*. */
export type ValidateAnswer = PolarLicenseKey & { activation?: PolarActivation | null | undefined }

/** The body of every refusal. */
export interface PolarError {
  error: string
  detail?: string | null | undefined
}

const text = z.catch(z.nullish(z.string()), undefined)

const licenseKeyFields = {
  id: z.string(),
  key: z.string(),
  benefit_id: z.string(),
  status: text,
  limit_activations: z.catch(z.nullish(z.number()), undefined),
  expires_at: text,
}

const activationFields = {
  id: z.string(),
  label: text,
  meta: z.catch(z.nullish(z.object({ device: z.optional(z.string()) })), undefined),
  created_at: text,
}

export const activationSchema: z.ZodMiniType<PolarActivation> = z.object(activationFields)

export const activateAnswerSchema: z.ZodMiniType<ActivateAnswer> = z.object({
  ...activationFields,
  license_key: z.object(licenseKeyFields),
})

export const validateAnswerSchema: z.ZodMiniType<ValidateAnswer> = z.object({
  ...licenseKeyFields,
  activation: z.nullish(activationSchema),
})

export const errorSchema: z.ZodMiniType<PolarError> = z.object({ error: z.string(), detail: text })

/** `GET /v1/license-keys/{id}`. */
export const activationsSchema: z.ZodMiniType<{ id: string; activations: unknown[] }> = z.object({
  id: z.string(),
  activations: z.array(z.unknown()),
})

export { createGateway, type Gateway } from './create-gateway.ts'
export { type GatewayCode, gatewayCodes } from './gateway-codes.ts'
export { GatewayConfigError } from './gateway-config-error.ts'
export type {
  GatewayLimits,
  GatewayOptions,
  Upstream,
  UpstreamFetch,
  UpstreamOptions,
} from './gateway-options.ts'
export type { LicenseRoute } from './http/license-routes.ts'
export type { ReplyRemark } from './http/reply.ts'
export type { GatewayLogLine } from './http/request-log.ts'
export { type LeaseClaims, leaseClaimsSchema } from './leases/lease-claims.ts'
export { leaseHeader, nonceHeader, trustedKeysHeader } from './leases/lease-request.ts'
export {
  generateSigningKey,
  type LeaseKey,
  type LeaseKeys,
  leaseKeysOf,
  parseSigningKeys,
  type SigningKey,
} from './leases/signing-keys.ts'
export {
  type LeaseExpectation,
  type LeaseRefusal,
  type LeaseVerdict,
  verifyLease,
} from './leases/verify-lease.ts'
export type { AllowRule, ServedLicense } from './licenses/allow-rule.ts'
export type { FeaturesRule, PlanRule } from './licenses/license-terms.ts'
export { createFlexibleRateLimiter, type FlexibleLimiter } from './limits/flexible-rate-limiter.ts'
export {
  createInProcessRateLimiter,
  type InProcessRateLimiterOptions,
} from './limits/in-process-rate-limiter.ts'
export type { RateLimit, RateLimitAnswer, RateLimiter } from './limits/rate-limiter.ts'
export { createWorkersRateLimiter, type WorkersRateLimitBinding } from './limits/workers-rate-limiter.ts'

export {
  type LeaseClaims,
  leaseClaimsSchema,
  leaseHeader,
  nonceHeader,
  trustedKeysHeader,
} from '@latchkey/services/leases'
export { createGateway, type Gateway } from './create-gateway.ts'
export { type GatewayCode, gatewayCodes } from './gateway-codes.ts'
export { GatewayConfigError } from './gateway-config-error.ts'
export type {
  GatewayLimits,
  GatewayOptions,
  SiteOptions,
  ThanksPageOptions,
  Upstream,
  UpstreamFetch,
  UpstreamOptions,
} from './gateway-options.ts'
export type { ReplyRemark } from './http/reply.ts'
export type { GatewayLogLine } from './http/request-log.ts'
export type { LicenseRoute } from './http/routes.ts'
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
export type { AllowRule, FeaturesRule, PlanRule, ServedLicense } from './licenses/rules.ts'
export {
  createFlexibleRateLimiter,
  createInProcessRateLimiter,
  createWorkersRateLimiter,
  type FlexibleLimiter,
  type InProcessRateLimiterOptions,
  type RateLimit,
  type RateLimitAnswer,
  type RateLimiter,
  type WorkersRateLimitBinding,
} from './limits/rate-limiter.ts'
export { type MovesOptions, moves } from './upstreams/moves.ts'

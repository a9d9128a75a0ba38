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
} from '@latchkey/gateway'

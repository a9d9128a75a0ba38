export type {
  AllowRule,
  FeaturesRule,
  GatewayLimits,
  LicenseRoute,
  PlanRule,
  ServedLicense,
  SiteOptions,
  ThanksPageOptions,
  Upstream,
  UpstreamFetch,
  UpstreamOptions,
} from '@latchkey/gateway'

export { createPrometheusMetrics, type PrometheusMetrics } from './prometheus-metrics.ts'
export { type GatewayServer, type GatewayServerOptions, startGatewayServer } from './start-gateway-server.ts'

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { GatewayLogLine } from '../http/request-log.ts'

/** Collects metrics for Prometheus. */
export interface PrometheusMetrics {
  /** Called by the gateway: pass this object as its `metrics` option. */
  observe(line: GatewayLogLine): void
  /** Returns all metrics in the Prometheus text format. */
  exposition(): Promise<string>
  /** The `Content-Type` of that format. */
  readonly contentType: string
}

/**
 * Creates the metrics of one gateway: requests by route, status, and code; their duration; leases by result; requests
 * that no rate limit counted; and prom-client's process metrics. Label values never come from the caller.
 */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'latchkey_gateway_requests_total',
    help: 'Requests by route, HTTP status and refusal code (none for an answer).',
    labelNames: ['route', 'status', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: 'latchkey_gateway_request_duration_seconds',
    help: 'Time from a request to its answer, the service behind the gateway included.',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const leases = new Counter({
    name: 'latchkey_gateway_leases_total',
    help: 'Leases requested and answered, by what they say, or why the app rejects them.',
    labelNames: ['lease'],
    registers,
  })
  const uncounted = new Counter({
    name: 'latchkey_gateway_uncounted_requests_total',
    help: 'Requests let through because the store of a limit was out of reach.',
    registers,
  })

  return {
    observe(line) {
      const route = line.route ?? 'none'
      requests.inc({ route, status: line.status, code: line.code ?? 'none' })
      durations.observe({ route }, line.durationMs / 1000)
      const lease = leaseLabel(line)
      if (lease !== null) leases.inc({ lease })
      if (line.isUncounted) uncounted.inc()
    },
    exposition: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** A lease that the app rejects doesn't count by what it says. */
function leaseLabel({ lease, remark }: GatewayLogLine): string | null {
  if (remark === 'lease-not-signed') return 'unsigned'
  return remark === 'lease-key-untrusted' ? 'untrusted' : lease
}

import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { answerOf, type Box } from './box.ts'
import { type Computer, type ComputerOptions, createComputer } from './computer.ts'
import { type Dialect, responseOf } from './dialect.ts'
import { createForeignService, type ForeignService } from './foreign-service.ts'

/** Where the broken proxy is: `app` in front of the app, `upstream` in front of the service. */
export type Place = 'app' | 'upstream'

/** What is between app and service. */
export type Path = 'direct' | 'gateway' | 'leases'

/** A service, a network and computers with a common time. */
export interface Surroundings {
  readonly service: ForeignService
  readonly nowMs: number
  /** The broken proxy. `null` if requests get through. */
  readonly boxes: Record<Place, Box | null>
  /** What connects a computer to the service. */
  readonly connection: Pick<ComputerOptions, 'fetch' | 'leaseKeys'>
  computer(options?: Partial<ComputerOptions>): Computer
  /** Lets time pass everywhere, and runs timers that become due. */
  elapse(ms: number): Promise<void>
}

const startMs = Date.parse('2026-11-01T12:00:00Z')

export async function createSurroundings(path: Path, dialect?: Dialect): Promise<Surroundings> {
  let nowMs = startMs
  const boxes: Record<Place, Box | null> = { app: null, upstream: null }
  const service = createForeignService(() => nowMs, dialect)
  const computers: Computer[] = []

  const toService = async (request: Request): Promise<Response> =>
    boxes.upstream === null
      ? service.fetch(request)
      : responseOf(answerOf(boxes.upstream, request.method, nowMs))

  const signingKeys = path === 'leases' ? [await generateSigningKey()] : []
  const gateway =
    path === 'direct'
      ? toService
      : createGateway({
          upstream: { baseUrl: 'https://service.example/v1', accessToken: 'token', fetch: toService },
          ...(path === 'leases' ? { signing: { keys: signingKeys, leaseDays: 14 } } : {}),
          limits: { perLicense: false, perAddress: false },
          clock: () => nowMs,
        })
  const leaseKeys = path === 'leases' ? (await leaseKeysOf(signingKeys)).keys : undefined

  const fromApp = async (request: Request): Promise<Response> =>
    boxes.app === null ? gateway(request) : responseOf(answerOf(boxes.app, request.method, nowMs))
  const connection = { fetch: fromApp, leaseKeys }

  return {
    service,
    boxes,
    connection,
    get nowMs() {
      return nowMs
    },
    computer(options = {}) {
      const computer = createComputer({ ...connection, startMs: nowMs, ...options })
      computers.push(computer)
      return computer
    },
    async elapse(ms) {
      for (let leftMs = ms; leftMs > 0; ) {
        const running = computers.filter(({ isRunning }) => isRunning)
        const due = running.map(({ clock }) => clock.waiting[0] ?? leftMs)
        const stepMs = Math.min(leftMs, ...due.map((dueMs) => Math.max(1, dueMs)))
        nowMs += stepMs
        for (const computer of computers) {
          if (!computer.isRunning) computer.clock.sleep(stepMs)
          else {
            await computer.clock.advance(stepMs)
            await computer.settled()
          }
        }
        leftMs -= stepMs
      }
    },
  }
}

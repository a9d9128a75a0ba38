import type { Emulator, RequestRecord } from '@latchkey/emulator'

const operationNames: Readonly<Record<string, string>> = {
  keys: 'list keys',
  key: 'show key',
  activate: 'activate',
  validate: 'validate',
  deactivate: 'deactivate',
}

/** Describes one request: `activate → 200`. */
export function describeRequest({ operation, method, path, status, outcome }: RequestRecord): string {
  const name = operation === null ? `${method} ${path}` : (operationNames[operation] ?? operation)
  if (outcome === 'pending') return `${name} → no answer yet`
  return `${name} → ${outcome === 'cut' ? 'connection cut' : status}`
}

/** Describes several requests; `nothing` if there are none. */
export function describeRequests(requests: readonly RequestRecord[]): string {
  return requests.length === 0 ? 'nothing' : requests.map(describeRequest).join(', ')
}

/** Reads a service's log in parts. */
export interface ServiceDiary {
  /** Returns the requests since the last call. */
  page(): readonly RequestRecord[]
  turnPage(): void
}

/** Starts reading a service's log from now on. */
export function openServiceDiary(emulator: Emulator): ServiceDiary {
  let lastSeenId = emulator.control.requests().at(-1)?.id ?? 0
  return {
    page: () => emulator.control.requests().filter(({ id }) => id > lastSeenId),
    turnPage() {
      lastSeenId = emulator.control.requests().at(-1)?.id ?? lastSeenId
    },
  }
}
